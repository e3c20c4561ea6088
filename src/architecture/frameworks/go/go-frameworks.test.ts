import { expect, it } from 'vitest'
import { inboundRows, outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'gin: groups, and routers given to a function of another package',
    files: {
      'main.go': `package main
import (
	"github.com/gin-gonic/gin"
	"example.com/shop/users"
)
const base = "/api"
func main() {
	r := gin.Default()
	r.GET("/health", health)
	v1 := r.Group(base + "/v1")
	users.Register(v1.Group("/users"), db)
	cache.Get("key", 1)
}
`,
      'users/users.go': `package users
import "github.com/gin-gonic/gin"
func Register(rg *gin.RouterGroup, db *DB) {
	rg.GET("", list)
	rg.DELETE("/:id", remove)
}
`,
    },
    rows: [
      '4: REST GET /api/v1/users, list',
      '5: REST DELETE /api/v1/users/:id, remove',
      '9: REST GET /health, health',
    ],
  },
  {
    title: 'chi: nested routes, fields of the receiver, mounted routers',
    files: {
      'server.go': `package server
import "github.com/go-chi/chi/v5"
type Server struct { router *chi.Mux }
func (s *Server) routes() {
	s.router.Route("/orders", func(r chi.Router) {
		r.Get("/", s.list)
		r.Route("/{id}", func(r chi.Router) {
			r.Put("/", s.update)
		})
	})
	s.router.Mount("/admin", adminRouter())
}
func adminRouter() chi.Router {
	r := chi.NewRouter()
	r.Post("/ban", ban)
	return r
}
`,
    },
    rows: [
      '6: REST GET /orders, s.list',
      '8: REST PUT /orders/{id}, s.update',
      '15: REST POST /admin/ban, ban',
    ],
  },
  {
    title: 'net/http and gorilla: patterns with methods, subrouters; requests of a client are no routes',
    files: {
      'a.go': `package main
import "net/http"
func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", show)
	http.Handle("/metrics", metrics)
	client.Post("/not/a/route", "text/plain", nil)
}
`,
      'b/b.go': `package b
import "github.com/gorilla/mux"
func routes() {
	r := mux.NewRouter()
	api := r.PathPrefix("/api").Subrouter()
	api.HandleFunc("/x", h).Methods(http.MethodGet, "POST")
}
`,
    },
    rows: [
      '5: REST GET /items/{id}, show',
      '6: REST ANY /metrics, metrics',
      '6: REST GET /api/x, h',
      '6: REST POST /api/x, h',
    ],
  },
  {
    title: 'gRPC: registered servers with the methods of their proto file, and clients',
    files: {
      'cart.proto': 'package shop; service Cart { rpc Add(A) returns (B); rpc Get(A) returns (B); }',
      'main.go': `package main
import pb "example.com/shop/genproto"
func main() {
	pb.RegisterCartServer(srv, &cart{})
}
func connect() {
	c := pb.NewCartClient(conn)
	d := http.NewPoolClient(conn)
}
`,
    },
    rows: [
      '4: gRPC shop.Cart/Add, main',
      '4: gRPC shop.Cart/Get, main',
      '7: gRPC Client -> shop.Cart, connect',
    ],
  },
  {
    title: 'paths from a file of settings, by a router that a constructor keeps',
    files: {
      'shop/config/config.yaml': 'http:\n  productsPath: /api/v1/products\nprobes:\n  port: 1\n',
      'shop/server/server.go': `package server
import (
	"github.com/labstack/echo/v4"
	"example.com/shop/items"
)
func (s *server) Run() {
	items.NewHandlers(s.echo.Group(s.cfg.Http.ProductsPath), s.log)
	s.echo.GET(s.cfg.Probes.MetricsPath, serve)
	s.echo.Group(s.cfg.AdminPath).GET("/users", serve)
	admin := s.echo.Group(s.cfg.AdminPath)
	admin.GET("/roles", serve)
}
`,
      'shop/items/handlers.go': `package items
import "github.com/labstack/echo/v4"
type handlers struct { group *echo.Group }
func NewHandlers(group *echo.Group, log Logger) *handlers {
	return &handlers{group: group}
}
`,
      'shop/items/routes.go': `package items
import "github.com/labstack/echo/v4"
func (h *handlers) Map() {
	h.group.POST("", h.Create())
	h.group.GET("/:id", h.Get())
}
`,
    },
    rows: [
      '4: REST POST /api/v1/products [medium]',
      '5: REST GET /api/v1/products/:id [medium]',
      '8: REST GET ${MetricsPath}/, serve [low]',
      '9: REST GET ${AdminPath}/users, serve [low]',
      '11: REST GET ${AdminPath}/roles, serve [low]',
    ],
  },
  {
    title: 'paths from settings in gin, chi and fiber; a value that differs between files is named',
    files: {
      'config.yaml': 'api:\n  path: /api\nadmin_path: /admin\n',
      'other.yaml': 'admin_path: /other\n',
      'a/a.go': `package a
import "github.com/gin-gonic/gin"
func run(r *gin.Engine, cfg Config) {
	v1 := r.Group(cfg.Api.Path)
	v1.GET("/a", list)
}
`,
      'b/b.go': `package b
import "github.com/go-chi/chi/v5"
func run(r chi.Router, conf Config) {
	r.Route(conf.Api.Path, func(r chi.Router) {
		r.Get("/b", list)
	})
}
`,
      'c/c.go': `package c
import "github.com/gofiber/fiber/v2"
func run(app *fiber.App, s *Server) {
	admin := app.Group(s.settings.AdminPath)
	admin.Get("/c", list)
}
`,
    },
    rows: [
      '5: REST GET /api/a, list [medium]',
      '5: REST GET /api/b, list',
      '5: REST GET ${AdminPath}/c, list [low]',
    ],
  },
  {
    title: 'gRPC: services whose name in the proto file begins with a small letter or has underscores',
    files: {
      'cart.proto': 'package shop; service cartService { rpc Add(A) returns (B); }',
      'mail.proto': 'package shop; service mail_out { rpc Send(A) returns (B); }',
      'main.go': `package main
import pb "example.com/shop/genproto"
func main() {
	pb.RegisterCartServiceServer(srv, &cart{})
	c := pb.NewMailOutClient(conn)
}
`,
    },
    rows: ['4: gRPC shop.cartService/Add, main', '5: gRPC Client -> shop.mail_out, main'],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  const found = [...(await inboundRows(files)), ...(await outboundRows(files))]
  expect([...found].sort()).toEqual([...rows].sort())
})
