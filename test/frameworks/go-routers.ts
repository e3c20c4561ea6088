import type { FrameworkSnippets } from './snippet-corpus.ts'

const NOT_ROUTES = (module: string) => [
  {
    title: 'methods of the same names on other objects',
    files: {
      'x.go': `package x
import "${module}"
func use(c *Cache) {
	c.Get("key")
	c.Delete("users")
	client.Post("https://x.dev/a", body)
}`,
    },
  },
]

/** A framework whose verbs and groups have these names. */
const groups = (
  framework: string,
  module: string,
  code: {
    readonly make: string
    readonly type: string
    readonly verbs: readonly [string, string]
    readonly parameter: string
  },
): FrameworkSnippets => {
  const { make, type, parameter } = code
  const [get, remove] = code.verbs
  return {
    framework,
    language: 'Go',
    finds: ['endpoints'],
    found: [
      {
        title: 'routes and a group',
        files: {
          'main.go': `package main
import "${module}"
func main() {
	r := ${make}
	r.${get}("/health", health)
	api := r.Group("/api")
	api.${remove}("/users/${parameter}", removeUser)
}`,
        },
        rows: ['in 5: REST GET /health, health', `in 7: REST DELETE /api/users/${parameter}, removeUser`],
      },
      {
        title: 'a group that is given to a function of another package',
        files: {
          'main.go': `package main
import (
	"${module}"
	"example.com/shop/users"
)
func main() {
	r := ${make}
	users.Register(r.Group("/v1").Group("/users"), db)
}`,
          'users/users.go': `package users
import "${module}"
func Register(g ${type}, db *DB) { g.${get}("", list) }`,
        },
        rows: ['in 3: REST GET /v1/users, list'],
      },
      {
        title: 'a field of a server',
        files: {
          'server.go': `package server
import "${module}"
type Server struct { router ${type} }
func (s *Server) routes() {
	admin := s.router.Group("/admin")
	admin.${get}("/stats", s.stats)
}`,
        },
        rows: ['in 6: REST GET /admin/stats, s.stats'],
      },
    ],
    notFound: NOT_ROUTES(module),
  }
}

const GIN = groups('gin', 'github.com/gin-gonic/gin', {
  make: 'gin.Default()',
  type: '*gin.RouterGroup',
  verbs: ['GET', 'DELETE'],
  parameter: ':id',
})

const ECHO = groups('echo', 'github.com/labstack/echo/v4', {
  make: 'echo.New()',
  type: '*echo.Group',
  verbs: ['GET', 'DELETE'],
  parameter: ':id',
})

const GIN_SNIPPETS: FrameworkSnippets = {
  ...GIN,
  found: [
    ...GIN.found,
    {
      title: 'a path without a slash',
      files: {
        'main.go': `package main
import "github.com/gin-gonic/gin"
func routes(g *gin.Engine) { g.GET("version", version) }`,
      },
      rows: ['in 3: REST GET /version, version'],
    },
  ],
}

const FIBER = groups('fiber', 'github.com/gofiber/fiber/v2', {
  make: 'fiber.New()',
  type: 'fiber.Router',
  verbs: ['Get', 'Delete'],
  parameter: ':id',
})

const CHI: FrameworkSnippets = {
  framework: 'chi',
  language: 'Go',
  finds: ['endpoints'],
  found: [
    {
      title: 'nested routes',
      files: {
        'server.go': `package server
import "github.com/go-chi/chi/v5"
func (s *Server) routes() {
	s.router.Route("/orders", func(r chi.Router) {
		r.Get("/", s.list)
		r.Route("/{id}", func(r chi.Router) { r.Put("/", s.update) })
	})
}`,
      },
      rows: ['in 5: REST GET /orders, s.list', 'in 6: REST PUT /orders/{id}, s.update'],
    },
    {
      title: 'a router of a function that is mounted',
      files: {
        'main.go': `package main
import "github.com/go-chi/chi/v5"
func main() {
	r := chi.NewRouter()
	r.Mount("/admin", adminRouter())
}
func adminRouter() chi.Router {
	r := chi.NewRouter()
	r.Post("/ban", ban)
	return r
}`,
      },
      rows: ['in 9: REST POST /admin/ban, ban'],
    },
    {
      title: 'groups with middleware',
      files: {
        'main.go': `package main
import ("github.com/go-chi/chi/v5"; "github.com/go-chi/chi/v5/middleware")
func main() {
	r := chi.NewRouter()
	r.Group(func(r chi.Router) {
		r.Use(auth, middleware.Heartbeat("/ping"))
		r.With(paginate).Get("/items", list)
		r.Method("PATCH", "/items/{id}", handler)
	})
}`,
      },
      rows: ['in 6: REST GET /ping', 'in 7: REST GET /items, list', 'in 8: REST PATCH /items/{id}, handler'],
    },
  ],
  notFound: NOT_ROUTES('github.com/go-chi/chi/v5'),
}

const GORILLA: FrameworkSnippets = {
  framework: 'gorilla/mux',
  language: 'Go',
  finds: ['endpoints'],
  found: [
    {
      title: 'methods of a route',
      files: {
        'main.go': `package main
import "github.com/gorilla/mux"
func main() {
	r := mux.NewRouter()
	r.HandleFunc("/x", h).Methods(http.MethodGet, "POST")
	r.HandleFunc(os.Getenv("BASE")+"/y", h).Methods("PUT")
}`,
      },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an environment variable in a row
      rows: ['in 5: REST GET /x, h', 'in 5: REST POST /x, h', 'in 6: REST PUT ${BASE}/y, h [low]'],
    },
    {
      title: 'subrouters',
      files: {
        'main.go': `package main
import "github.com/gorilla/mux"
func main() {
	r := mux.NewRouter()
	api := r.PathPrefix("/api").Subrouter()
	api.Handle("/y/{id}", handler).Methods("DELETE")
}`,
      },
      rows: ['in 6: REST DELETE /api/y/{id}, handler'],
    },
    {
      title: 'a handler around another one',
      files: {
        'main.go': `package main
import "github.com/gorilla/mux"
func routes(r *mux.Router) { r.Handle("/z", auth(http.HandlerFunc(show))).Methods("GET") }`,
      },
      rows: ['in 3: REST GET /z'],
    },
  ],
  notFound: NOT_ROUTES('github.com/gorilla/mux'),
}

const NET_HTTP: FrameworkSnippets = {
  framework: 'net/http',
  language: 'Go',
  finds: ['endpoints'],
  found: [
    {
      title: 'patterns with methods',
      files: {
        'main.go': `package main
import "net/http"
func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", show)
	mux.Handle("POST /items", auth(create))
}`,
      },
      rows: ['in 5: REST GET /items/{id}, show', 'in 6: REST POST /items'],
    },
    {
      title: 'the mux of the package',
      files: {
        'main.go': `package main
import "net/http"
func main() { http.Handle("/metrics", metrics); http.HandleFunc("/", index) }`,
      },
      rows: ['in 3: REST ANY /, index', 'in 3: REST ANY /metrics, metrics'],
    },
    {
      title: 'a mux that is given to a method',
      files: {
        'main.go': `package main
import "net/http"
const prefix = "/api"
func (a *API) Register(mux *http.ServeMux) { mux.HandleFunc(prefix+"/users", a.users) }`,
      },
      rows: ['in 4: REST ANY /api/users, a.users'],
    },
  ],
  notFound: NOT_ROUTES('net/http'),
}

export const GO_ROUTER_SNIPPETS: readonly FrameworkSnippets[] = [
  GIN_SNIPPETS,
  ECHO,
  FIBER,
  CHI,
  GORILLA,
  NET_HTTP,
]
