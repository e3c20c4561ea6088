import type { FrameworkSnippets } from './snippet-corpus.ts'

const KTOR: FrameworkSnippets = {
  framework: 'Ktor',
  language: 'Kotlin',
  finds: ['endpoints'],
  found: [
    {
      title: 'nested routes of an application',
      files: {
        'Application.kt': `package shop
import io.ktor.server.application.*
import io.ktor.server.routing.*
fun main() {
    embeddedServer(Netty, port = 8080, module = Application::module).start(wait = true)
}
fun Application.module() {
    routing {
        get("/health") { call.respondText("ok") }
        route("/orders") {
            get { call.respond(repository.all()) }
            authenticate("jwt") {
                delete("/{id}") { repository.delete(call.parameters["id"]) }
            }
            webSocket("/events") { send("x") }
        }
    }
}
`,
      },
      rows: [
        'in 9: REST GET /health, module',
        'in 11: REST GET /orders, module',
        'in 13: REST DELETE /orders/{id}, module',
        'in 15: REST WS /orders/events, module',
      ],
    },
    {
      title: 'functions on a route in other files',
      files: {
        'Routing.kt': `package shop
import io.ktor.server.application.*
import io.ktor.server.routing.*
import shop.users.userRoutes
const val API = "/api"
fun Application.configureRouting(service: UserService) {
    routing {
        route(API + "/v1") {
            userRoutes(service)
        }
    }
}
`,
        'users/UserRoutes.kt': `package shop.users
import io.ktor.server.routing.*
fun Route.userRoutes(service: UserService) {
    route("/users") {
        get("{id}") { call.respond(service.find(call.parameters["id"])) }
        details()
    }
}
private fun Route.details() {
    post("/details") { cache.get("x") }
}
`,
      },
      rows: [
        'in 5: REST GET /api/v1/users/{id}, userRoutes',
        'in 10: REST POST /api/v1/users/details, details',
      ],
    },
    {
      title: 'typed resources, and a method given to a route',
      files: {
        'Articles.kt': `package blog
import io.ktor.resources.Resource
import io.ktor.server.resources.get
import io.ktor.server.routing.*

@Resource("/articles")
class Articles {
    @Resource("{id}")
    class Id(val parent: Articles = Articles(), val id: Long)
}

fun Route.articles() {
    get<Articles> { call.respond(list()) }
    get<Articles.Id> { article -> call.respond(article.id) }
    route("/legacy", HttpMethod.Post) {
        handle { call.respondText("x") }
    }
}
`,
      },
      rows: [
        'in 13: REST GET /articles, articles',
        'in 14: REST GET /articles/{id}, articles',
        'in 16: REST POST /legacy, articles',
      ],
    },
  ],
  notFound: [
    {
      title: 'methods of the same names on other objects, and outside of a route',
      files: {
        'Cache.kt': `package shop
import io.ktor.server.application.*
class Cache(private val map: MutableMap<String, String>) {
    fun read(): String? = map.get("/health")
    fun get(path: String) = map[path]
    fun twice() { get("/a") }
}
`,
      },
    },
  ],
}

const KTOR_CLIENT: FrameworkSnippets = {
  framework: 'Ktor client',
  language: 'Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'requests with whole addresses',
      files: {
        'Weather.kt': `package weather
import io.ktor.client.*
import io.ktor.client.request.*
private const val HOST = "https://api.weather.test"
class Weather(private val client: HttpClient) {
    suspend fun now(city: String): String = client.get("$HOST/v1/now?city=$city").body()
    suspend fun report(text: String) {
        client.post("http://reports:8080/reports") { setBody(text) }
    }
}
`,
      },
      rows: [
        'out 6: REST Ktor client GET -> https://api.weather.test/v1/now, Weather [medium]',
        'out 8: REST Ktor client POST -> http://reports:8080/reports, Weather',
      ],
    },
    {
      title: 'the default address of the client',
      files: {
        'Client.kt': `package shop
import io.ktor.client.*
import io.ktor.client.engine.cio.*
fun httpClient() = HttpClient(CIO) {
    defaultRequest { url("https://stock.test/api/") }
}
`,
        'Stock.kt': `package shop
import io.ktor.client.HttpClient
import io.ktor.client.request.get
class Stock(private val http: HttpClient) {
    suspend fun items() = http.get("items")
}
`,
      },
      rows: ['out 5: REST Ktor client GET -> https://stock.test/api/items, Stock'],
    },
    {
      title: 'the address inside of the request',
      files: {
        'Pay.kt': `package pay
import io.ktor.client.*
import io.ktor.client.request.*
val client = HttpClient()
suspend fun pay() {
    client.post {
        url("http://payments/pay")
    }
}
`,
      },
      rows: ['out 6: REST Ktor client POST -> http://payments/pay'],
    },
  ],
  notFound: [
    {
      title: 'other objects with the same methods',
      files: {
        'Map.kt': `package shop
import io.ktor.client.HttpClient
class Store(private val map: MutableMap<String, String>) {
    fun read() = map.get("http://stock/items")
}
`,
      },
    },
  ],
}

export const KTOR_SNIPPETS: readonly FrameworkSnippets[] = [KTOR, KTOR_CLIENT]
