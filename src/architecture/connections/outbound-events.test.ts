import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'reads the topic of a Kafka message, also from a record',
    files: {
      'Shop.java': `class Shop { KafkaTemplate<String, String> kafka;
  void a() { kafka.send("orders", "x"); }
  void b() { kafka.send(new ProducerRecord<>("refunds", "x")); }
}`,
    },
    rows: [
      '2: Messaging-Kafka KafkaTemplate -> orders, Shop',
      '3: Messaging-Kafka KafkaTemplate -> refunds, Shop',
    ],
  },
  {
    title: 'takes the default topic when only the message is given',
    files: {
      'Shop.java':
        'class Shop { KafkaTemplate<String, String> kafka;\n  void a(Message m) { kafka.send(m); } }',
    },
    rows: ['2: Messaging-Kafka KafkaTemplate -> KafkaTemplate default, Shop [low]'],
  },
  {
    title: 'tells exchange and routing key of RabbitMQ apart by the number of arguments',
    files: {
      'Shop.java': `class Shop { RabbitTemplate rabbit;
  void a() { rabbit.convertAndSend("exchange", "key", "x"); }
  void b() { rabbit.convertAndSend("key", "x"); }
  void c() { rabbit.convertAndSend("x"); }
}`,
    },
    rows: [
      '2: Messaging-RabbitMQ RabbitTemplate -> exchange, Shop; key key',
      '3: Messaging-RabbitMQ RabbitTemplate -> key, Shop; key key',
      '4: Messaging-RabbitMQ RabbitTemplate -> RabbitTemplate default, Shop [low]',
    ],
  },
  {
    title: 'follows a stream binding to its destination',
    files: {
      'Shop.java': `class Shop { StreamBridge bridge;
  void a() { bridge.send("orders-out-0", "x"); }
  @Bean Supplier<String> ticks() { return null; }
}`,
      'application.properties': `spring.cloud.stream.bindings.orders-out-0.destination=orders.topic
spring.cloud.stream.bindings.ticks-out-0.destination=ticks.topic`,
    },
    rows: [
      '2: Messaging-Stream StreamBridge -> orders.topic, Shop [medium]',
      '3: Messaging-Stream Function -> ticks.topic, Shop [medium]',
    ],
  },
  {
    title: 'names a gRPC service by its stub, its channel or its injected client',
    files: {
      'Shop.java': `class Shop {
  @GrpcClient("billing") BillingGrpc.BillingBlockingStub billing;
  void a() { GreeterGrpc.newBlockingStub(channel); }
  void b() { ManagedChannelBuilder.forAddress("stock", 9090); }
}`,
      'greeter.proto': 'package demo; service Greeter { rpc Hi (A) returns (B); }',
    },
    rows: [
      '2: gRPC GrpcClient -> billing, Shop',
      '3: gRPC Stub -> demo.Greeter, Shop',
      '4: gRPC ManagedChannel -> stock:9090, Shop',
    ],
  },
  {
    title: 'reads coroutine stubs',
    files: {
      'Shop.kt':
        'class Shop(channel: Channel) {\n  private val stub = GreeterGrpcKt.GreeterCoroutineStub(channel)\n}',
    },
    rows: ['2: gRPC Stub -> Greeter, Shop'],
  },
  {
    title: 'gives no row for other senders and for unbound functions',
    files: {
      'Shop.java': `class Shop { MailSender mail; KafkaTemplate<String, String> kafka;
  void a() { mail.send("orders", "x"); kafka.flush(); }
  @Bean Supplier<String> unbound() { return null; }
}`,
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
