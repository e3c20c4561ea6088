import type { FrameworkSnippets } from './snippet-corpus.ts'

const REACTIVE: FrameworkSnippets = {
  framework: 'MicroProfile Reactive Messaging',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'channels without settings',
      files: {
        'Prices.java': `import org.eclipse.microprofile.reactive.messaging.*; class Prices {
  @Incoming("prices") @Outgoing("doubled") double twice(double price) { return price * 2; }
}`,
      },
      rows: [
        'in 2: Messaging-Stream prices, Prices.twice',
        'out 2: Messaging-Stream Reactive Messaging -> doubled, Prices',
      ],
    },
    {
      title: 'a topic of Kafka',
      files: {
        'Fights.java': 'class Fights { @Incoming("fights") void on(Fight fight) {} }',
        'application.properties': `mp.messaging.incoming.fights.connector=smallrye-kafka
mp.messaging.incoming.fights.topic=fights.v1`,
      },
      rows: ['in 1: Messaging-Kafka fights.v1, Fights.on [medium]'],
    },
    {
      title: 'an emitter',
      files: {
        'Fights.java': 'class Fights { @Channel("fights") MutinyEmitter<Fight> emitter; }',
        'application.properties': 'mp.messaging.outgoing.fights.connector=smallrye-rabbitmq',
      },
      rows: ['out 1: Messaging-RabbitMQ Reactive Messaging -> fights, Fights'],
    },
  ],
  notFound: [
    {
      title: 'another channel',
      files: { 'A.java': 'class A { @Channel("x") Socket socket; Emitter<String> plain; }' },
    },
  ],
}

const MICRONAUT: FrameworkSnippets = {
  framework: 'Micronaut',
  language: 'Java, Kotlin',
  finds: ['endpoints', 'calls', 'messages'],
  found: [
    {
      title: 'a controller',
      files: {
        'Pets.java': `import io.micronaut.http.annotation.*;
@Controller("/pets")
class Pets {
  @Get Collection<Pet> all() { return null; }
  @Post(uri = "/{name}") void create(String name) {}
}`,
      },
      rows: ['in 4: REST GET /pets, Pets.all', 'in 5: REST POST /pets/{name}, Pets.create'],
    },
    {
      title: 'clients by name and by address',
      files: {
        'Stock.java': `import io.micronaut.http.client.annotation.Client;
@Client(id = "stock", path = "/items")
interface Stock { @Get("/{id}") Item item(String id); }`,
        'Geo.kt': `import io.micronaut.http.client.annotation.Client

@Client("https://geo.test")
interface Geo {
    @Get("/search")
    fun search(q: String): String
}`,
        'application.yml': 'micronaut:\n  http:\n    services:\n      stock:\n        url: http://stock:8080',
      },
      rows: [
        'out 4: REST Micronaut client -> https://geo.test, Geo; calls GET /search',
        'out 3: REST Micronaut client -> http://stock:8080, Stock; calls GET /items/{id} [medium]',
        'out 5: Configuration Service URL -> http://stock:8080; path micronaut.http.services.stock.url',
      ],
    },
    {
      title: 'listeners and clients of Kafka',
      files: {
        'Products.java': `import io.micronaut.configuration.kafka.annotation.*;
@KafkaClient interface Products { @Topic("products") void send(String name); }
@KafkaListener class ProductListener { @Topic("products") void receive(String name) {} }`,
      },
      rows: [
        'in 3: Messaging-Kafka products, ProductListener.receive',
        'out 2: Messaging-Kafka KafkaClient -> products, Products',
      ],
    },
  ],
  notFound: [
    {
      title: 'annotations of another library',
      files: { 'Keys.java': '@Controller("/keys") class Keys { @Get("/x") String x() { return ""; } }' },
    },
  ],
}

export const JAVA_EVENT_SNIPPETS: readonly FrameworkSnippets[] = [REACTIVE, MICRONAUT]
