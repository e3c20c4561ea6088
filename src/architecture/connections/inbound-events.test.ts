import { expect, it } from 'vitest'
import { inboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'gives one row for each Kafka topic',
    files: {
      'Orders.java': `class Orders {
  @KafkaListener(topics = {"orders", "\${topic.refunds}"}) void on(String message) {}
}`,
      'application.yml': 'topic:\n  refunds: refunds.v1\n',
    },
    rows: ['2: Messaging-Kafka orders, Orders.on', '2: Messaging-Kafka refunds.v1, Orders.on [medium]'],
  },
  {
    title: 'finds names inside of nested annotations',
    files: {
      'Orders.java': `class Orders {
  @RabbitListener(bindings = @QueueBinding(value = @Queue("orders.q"), exchange = @Exchange("x"))) void a() {}
  @KafkaListener(topicPartitions = @TopicPartition(topic = "orders.t", partitions = "0")) void b() {}
}`,
    },
    rows: ['2: Messaging-RabbitMQ orders.q, Orders.a', '3: Messaging-Kafka orders.t, Orders.b'],
  },
  {
    title: 'reads JMS, SQS and stream listeners',
    files: {
      'Orders.kt': `class Orders {
  @JmsListener(destination = "jms.q")
  fun jms() {}
  @SqsListener("sqs.q")
  fun sqs() {}
  @Incoming("stream")
  fun incoming() {}
}`,
    },
    rows: [
      '3: Messaging-JMS jms.q, Orders.jms',
      '5: Messaging-SQS sqs.q, Orders.sqs',
      '7: Messaging-Stream stream, Orders.incoming',
    ],
  },
  {
    title: 'shows the schedule of a scheduled method',
    files: {
      'Jobs.java': `class Jobs {
  @Scheduled(cron = "0 0 * * * *") void hourly() {}
  @Scheduled(fixedDelay = 5_000) void often() {}
}`,
    },
    rows: [
      '2: Scheduled Jobs.hourly (cron 0 0 * * * *), Jobs.hourly',
      '3: Scheduled Jobs.often (fixedDelay 5000), Jobs.often',
    ],
  },
  {
    title: 'takes a function bean as a consumer only when the configuration binds it',
    files: {
      'Functions.java': `class Functions {
  @Bean Consumer<String> orders() { return x -> {}; }
  @Bean Consumer<String> unbound() { return x -> {}; }
}`,
      'application.properties': 'spring.cloud.stream.bindings.orders-in-0.destination=orders.topic',
    },
    rows: ['2: Messaging-Stream orders.topic, Functions.orders [medium]'],
  },
  {
    title: 'gives one row for each gRPC method, named as in the .proto file',
    files: {
      'Greeter.java': `class Greeter extends GreeterGrpc.GreeterImplBase {
  @Override public void sayHello(Request r, StreamObserver<Reply> o) {}
  void helper() {}
}`,
      'greeter.proto': 'package demo; service Greeter { rpc SayHello (Request) returns (Reply); }',
    },
    rows: ['2: gRPC demo.Greeter/SayHello, Greeter.sayHello'],
  },
  {
    title: 'gives one row for a gRPC service whose methods are unknown',
    files: { 'Greeter.java': '@GrpcService class Greeter { void helper() {} }' },
    rows: ['1: gRPC Greeter/Service Methods, Greeter'],
  },
  {
    title: 'gives no row for annotations of the same shape and for tests',
    files: {
      'Orders.java': 'class Orders { @EventListener void on() {} @Async void later() {} }',
      'src/test/java/OrdersTest.java': 'class OrdersTest { @KafkaListener(topics = "t") void on() {} }',
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await inboundRows(files)).toEqual(rows)
})
