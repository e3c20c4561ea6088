import type { FrameworkSnippets } from './snippet-corpus.ts'

const JAX_RS: FrameworkSnippets = {
  framework: 'JAX-RS',
  language: 'Java, Kotlin',
  finds: ['endpoints'],
  found: [
    {
      title: 'a resource with subpaths',
      files: {
        'Orders.java': `import jakarta.ws.rs.*; @Path("/orders")
class Orders {
  @GET List<Order> all() { return null; }
  @DELETE @Path("/{id}") void remove(@PathParam("id") String id) {}
}`,
      },
      rows: ['in 3: REST GET /orders, Orders.all', 'in 4: REST DELETE /orders/{id}, Orders.remove'],
    },
    {
      title: 'constants',
      files: {
        'Api.java': 'interface Api { String ROOT = "/api"; }',
        'Carts.java': `@Path(Api.ROOT + "/carts")
class Carts { @PUT @Path("{id}") void put() {} }`,
      },
      rows: ['in 2: REST PUT /api/carts/{id}, Carts.put'],
    },
    {
      title: 'a resource in Kotlin',
      files: {
        'Hello.kt': `@Path("/hello")
class Hello {
    @GET
    @Produces("text/plain")
    fun hello() = "hello"
}`,
      },
      rows: ['in 5: REST GET /hello, Hello.hello'],
    },
  ],
  notFound: [
    {
      title: 'methods of a type without a path',
      files: { 'Verbs.java': 'class Verbs { @GET String x() { return ""; } }' },
    },
  ],
}

const MICROPROFILE: FrameworkSnippets = {
  framework: 'MicroProfile REST client',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a client with its address',
      files: {
        'Stars.java': `import org.eclipse.microprofile.rest.client.inject.RegisterRestClient; @Path("/stars")
@RegisterRestClient(baseUri = "https://stars.test")
interface Stars { @GET @Path("/{id}") Star star(@PathParam("id") String id); }`,
      },
      rows: [
        'out 3: REST RestClient -> https://stars.test, Stars; url https://stars.test; calls GET /stars/{id}',
      ],
    },
    {
      title: 'an address in the settings of Quarkus',
      files: {
        'Heroes.java': `@RegisterRestClient(configKey = "heroes")
@Path("/api/heroes")
interface Heroes { @GET Hero random(); }`,
        'application.properties': 'quarkus.rest-client.heroes.url=http://rest-heroes:8083',
      },
      rows: [
        'out 3: REST RestClient -> http://rest-heroes:8083, Heroes; url http://rest-heroes:8083; calls GET /api/heroes [medium]',
        'out 1: Configuration Service URL -> http://rest-heroes:8083; path quarkus.rest-client.heroes.url',
      ],
    },
    {
      title: 'a setting with the name of the type',
      files: {
        'Villains.java': `package shop;
@RegisterRestClient
interface Villains { @DELETE @Path("/villains") void clear(); }`,
        'application.properties': 'shop.Villains/mp-rest/url=http://villains',
      },
      rows: [
        'out 3: REST RestClient -> http://villains, Villains; url http://villains; calls DELETE /villains [medium]',
        'out 1: Configuration Service URL -> http://villains; path shop.Villains/mp-rest/url',
      ],
    },
  ],
  notFound: [
    {
      title: 'an interface without registration',
      files: { 'Plain.java': 'interface Plain { @GET @Path("/x") String x(); }' },
    },
  ],
}

export const JAKARTA_SNIPPETS: readonly FrameworkSnippets[] = [JAX_RS, MICROPROFILE]
