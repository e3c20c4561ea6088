import type { FrameworkSnippets } from './snippet-corpus.ts'

const NET_HTTP_CLIENT: FrameworkSnippets = {
  framework: 'net/http client',
  language: 'Go',
  finds: ['calls'],
  found: [
    {
      title: 'functions of the package, and a client',
      files: {
        'client.go': `package client
import "net/http"
func load(id string) {
	http.Get("http://users:8080/users/" + id)
	c := &http.Client{Timeout: 5}
	c.Post("http://orders:8080/orders", "application/json", nil)
}`,
      },
      rows: [
        'out 4: REST net/http GET -> http://users:8080/users/{id}, load [medium]',
        'out 6: REST net/http POST -> http://orders:8080/orders, load',
      ],
    },
    {
      title: 'requests with a base address of the environment',
      files: {
        'client.go': `package client
import (
	"fmt"
	"net/http"
)
var base = getEnv("BILLING_URL", "http://billing:9000")
func pay(ctx context.Context, id int) {
	url := fmt.Sprintf("%s/invoices/%d", base, id)
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, nil)
	client.Do(req)
}
func ping() { http.NewRequest("GET", os.Getenv("MAIL_URL")+"/ping", nil) }`,
      },
      rows: [
        'out 9: REST net/http PUT -> http://billing:9000/invoices/{id}, pay [medium]',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an environment variable in a row
        'out 12: REST net/http GET -> ${MAIL_URL}/ping, ping [low]',
      ],
    },
    {
      title: 'a field that the constructor sets, and a reverse proxy',
      files: {
        'main.go': `package main
import (
	"net/http/httputil"
	"net/url"
)
func main() {
	c := newCatalog("http://catalog:8080")
	target, _ := url.Parse("http://legacy")
	proxy := httputil.NewSingleHostReverseProxy(target)
}`,
        'catalog.go': `package main
import "net/http"
type Catalog struct { base string }
func newCatalog(base string) *Catalog { return &Catalog{base: base} }
func (c *Catalog) list() { http.Get(c.base + "/products") }`,
      },
      rows: [
        'out 5: REST net/http GET -> http://catalog:8080/products, Catalog.list',
        'out 9: REST reverse proxy -> http://legacy, main',
      ],
    },
  ],
  notFound: [
    {
      title: 'requests to oneself, maps and headers',
      files: {
        'x.go': `package x
import "net/http"
func use(r *http.Request, path string) {
	r.Header.Get("http://not.a/call")
	cache.Get("http://not.a/call")
	http.NewRequest("GET", "/local", nil)
	http.NewRequest("GET", path, nil)
}`,
      },
    },
  ],
}

const RESTY: FrameworkSnippets = {
  framework: 'resty',
  language: 'Go',
  finds: ['calls'],
  found: [
    {
      title: 'a request',
      files: {
        'c.go': `package c
import "github.com/go-resty/resty/v2"
func load() { resty.New().R().SetHeader("a", "b").Get("https://api.example.dev/rates") }`,
      },
      rows: ['out 3: REST resty GET -> https://api.example.dev/rates, load'],
    },
    {
      title: 'a client with a base address',
      files: {
        'c.go': `package c
import "github.com/go-resty/resty/v2"
func load() {
	client := resty.New().SetBaseURL("http://stock:8080")
	client.R().SetBody(x).Post("/reserve")
}`,
      },
      rows: ['out 5: REST resty POST -> http://stock:8080/reserve, load'],
    },
    {
      title: 'a base address that is set where the client is made',
      files: {
        'c.go': `package c
import "github.com/go-resty/resty/v2"
func New() *API {
	c := resty.New()
	c.SetBaseURL("http://stock:8080/v1")
	return &API{client: c}
}
func (a *API) items() { a.client.R().Get("/items") }`,
      },
      rows: ['out 8: REST resty GET -> http://stock:8080/v1/items, API.items'],
    },
  ],
  notFound: [
    {
      title: 'calls on other objects',
      files: {
        'c.go': `package c
import "github.com/go-resty/resty/v2"
func use() { store.Get("https://x.dev/a"); app.Post("/orders", create) }`,
      },
    },
  ],
}

const GRPC: FrameworkSnippets = {
  framework: 'gRPC',
  language: 'Go',
  finds: ['endpoints', 'calls'],
  found: [
    {
      title: 'a registered server',
      files: {
        'cart.proto': 'package shop; service Cart { rpc Add(A) returns (B); rpc Get(A) returns (B); }',
        'main.go': `package main
import pb "example.com/shop/genproto"
func main() { pb.RegisterCartServer(srv, &cart{}) }`,
      },
      rows: ['in 3: gRPC shop.Cart/Add, main', 'in 3: gRPC shop.Cart/Get, main'],
    },
    {
      title: 'a client',
      files: {
        'cart.proto': 'package shop; service Cart { rpc Add(A) returns (B); }',
        'main.go': `package main
import pb "example.com/shop/genproto"
func connect() { c := pb.NewCartClient(conn) }`,
      },
      rows: ['out 3: gRPC Client -> shop.Cart, connect'],
    },
    {
      title: 'a gateway, whose routes the proto file has',
      files: {
        'cart.proto':
          'package shop; service Cart { rpc Add(A) returns (B) { option (google.api.http) = { post: "/v1/{parent=carts/*}/items" body: "*" }; } }',
        'main.go': `package main
import pb "example.com/shop/genproto"
func main() { pb.RegisterCartHandlerFromEndpoint(ctx, mux, "cart:50051", opts) }`,
      },
      rows: ['in 3: REST POST /v1/carts/{parent}/items, main'],
    },
    {
      title: 'a server whose proto file is elsewhere',
      files: {
        'main.go': `package main
import pb "example.com/shop/genproto"
func main() { pb.RegisterStockServer(srv, impl) }`,
      },
      rows: ['in 3: gRPC Stock, main [medium]'],
    },
  ],
  notFound: [
    {
      title: 'a gateway of a service without routes',
      files: {
        'cart.proto': 'service Cart { rpc Add(A) returns (B); }',
        'main.go': `package main
import pb "example.com/shop/genproto"
func main() { pb.RegisterCartHandlerServer(ctx, mux, impl) }`,
      },
    },
    {
      title: 'other clients and registrations',
      files: {
        'main.go': `package main
import "google.golang.org/grpc"
func main() { http.NewPoolClient(conn); hooks.RegisterServer(x, y, z) }`,
      },
    },
  ],
}

export const GO_CLIENTS: readonly FrameworkSnippets[] = [NET_HTTP_CLIENT, RESTY, GRPC]
