import type { FrameworkSnippets } from './snippet-corpus.ts'

const KAFKA: FrameworkSnippets = {
  framework: 'Spring Kafka',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'listener and template',
      files: {
        'Orders.java': `import org.springframework.kafka.annotation.KafkaListener; class Orders {
  KafkaTemplate<String, Order> kafka;
  @KafkaListener(topics = {"paid", "refunded"}) void on(Payment payment) { kafka.send("orders", payment.id()); }
}`,
      },
      rows: [
        'in 3: Messaging-Kafka paid, Orders.on',
        'in 3: Messaging-Kafka refunded, Orders.on',
        'out 3: Messaging-Kafka KafkaTemplate -> orders, Orders',
      ],
    },
    {
      title: 'a topic of the settings',
      files: {
        'Orders.java': `class Orders { @KafkaListener(topics = "\${topics.paid}") void paid(String id) {} }`,
        'application.yml': 'topics:\n  paid: payments.v1',
      },
      rows: ['in 1: Messaging-Kafka payments.v1, Orders.paid [medium]'],
    },
    {
      title: 'a record in Kotlin',
      files: {
        'Mails.kt': `class Mails(private val kafka: KafkaTemplate<String, String>) {
    fun send(text: String) {
        kafka.send(ProducerRecord("mails", text))
    }
}`,
      },
      rows: ['out 3: Messaging-Kafka KafkaTemplate -> mails, Mails'],
    },
  ],
  notFound: [
    {
      title: 'another sender',
      files: { 'Mail.java': 'class Mail { MailSender kafka; void a() { kafka.send("orders", x); } }' },
    },
  ],
}

const KAFKA_CLIENT: FrameworkSnippets = {
  framework: 'Kafka client',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'a consumer of two topics',
      files: {
        'Reader.java': `import org.apache.kafka.clients.consumer.KafkaConsumer;
class Reader {
  KafkaConsumer<String, String> consumer;
  void run() { consumer.subscribe(List.of("a", "b")); }
}`,
      },
      rows: ['in 4: Messaging-Kafka a, Reader.run', 'in 4: Messaging-Kafka b, Reader.run'],
    },
    {
      title: 'a producer with a constant',
      files: {
        'Writer.java': `import org.apache.kafka.clients.producer.*;
class Writer {
  static final String TOPIC = "events";
  KafkaProducer<String, String> producer;
  void run() { producer.send(new ProducerRecord<>(TOPIC, "x")); }
}`,
      },
      rows: ['out 5: Messaging-Kafka KafkaProducer -> events, Writer'],
    },
    {
      title: 'a consumer in Kotlin',
      files: {
        'Reader.kt': `import org.apache.kafka.clients.consumer.KafkaConsumer
class Reader(private val consumer: KafkaConsumer<String, String>) {
    fun run() {
        consumer.subscribe(listOf("clicks"))
    }
}`,
      },
      rows: ['in 4: Messaging-Kafka clicks, Reader.run'],
    },
  ],
  notFound: [
    {
      title: 'a subscription of another library',
      files: {
        'Flow.java': `import org.apache.kafka.clients.consumer.ConsumerRecord;
class Flow { Publisher<String> events; void run() { events.subscribe("topic"); } }`,
      },
    },
  ],
}

const AMQP: FrameworkSnippets = {
  framework: 'Spring AMQP',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'a listener of a queue',
      files: {
        'Mails.java':
          'import org.springframework.amqp.rabbit.annotation.RabbitListener; class Mails { @RabbitListener(queues = "mails") void on(Mail mail) {} }',
      },
      rows: ['in 1: Messaging-RabbitMQ mails, Mails.on'],
    },
    {
      title: 'exchange and routing key',
      files: {
        'Shop.java': `class Shop {
  RabbitTemplate rabbit;
  void placed(Order order) { rabbit.convertAndSend("shop", "orders.placed", order); }
}`,
      },
      rows: ['out 3: Messaging-RabbitMQ RabbitTemplate -> shop, Shop; key orders.placed'],
    },
    {
      title: 'a binding in Kotlin',
      files: {
        'Stock.kt': `class Stock {
    @RabbitListener(bindings = [QueueBinding(value = Queue("stock"), exchange = Exchange("shop"))])
    fun on(order: Order) {}
}`,
      },
      rows: ['in 3: Messaging-RabbitMQ stock, Stock.on'],
    },
  ],
  notFound: [
    {
      title: 'another template',
      files: { 'A.java': 'class A { TextTemplate rabbit; void a() { rabbit.convertAndSend("x", y); } }' },
    },
  ],
}

const JMS: FrameworkSnippets = {
  framework: 'Spring JMS',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'a listener',
      files: {
        'Prints.java':
          'import org.springframework.jms.annotation.JmsListener; class Prints { @JmsListener(destination = "prints") void on(String text) {} }',
      },
      rows: ['in 1: Messaging-JMS prints, Prints.on'],
    },
    {
      title: 'a template',
      files: {
        'Prints.java': 'class Prints { JmsTemplate jms; void a() { jms.convertAndSend("prints", "x"); } }',
      },
      rows: ['out 1: Messaging-JMS JmsTemplate -> prints, Prints'],
    },
    {
      title: 'a destination of the settings',
      files: {
        'Prints.kt': `class Prints {
    @JmsListener(destination = "\\\${prints.queue}")
    fun on(text: String) {}
}`,
        'application.properties': 'prints.queue=prints.v2',
      },
      rows: ['in 3: Messaging-JMS prints.v2, Prints.on [medium]'],
    },
  ],
  notFound: [
    {
      title: 'another listener',
      files: { 'A.java': 'class A { @Listener(destination = "prints") void on() {} }' },
    },
  ],
}

const STREAM: FrameworkSnippets = {
  framework: 'Spring Cloud Stream',
  language: 'Java, Kotlin',
  finds: ['messages'],
  found: [
    {
      title: 'a consumer that the settings bind',
      files: {
        'Audit.java': 'class Audit { @Bean Consumer<Order> audit() { return order -> {}; } }',
        'application.yml': `spring:
  cloud:
    stream:
      bindings:
        audit-in-0:
          destination: orders
`,
      },
      rows: ['in 1: Messaging-Stream orders, Audit.audit [medium]'],
    },
    {
      title: 'a supplier that the settings bind',
      files: {
        'Ticks.java': 'class Ticks { @Bean Supplier<String> ticks() { return () -> "x"; } }',
        'application.properties': 'spring.cloud.stream.bindings.ticks-out-0.destination=clock',
      },
      rows: ['out 1: Messaging-Stream Function -> clock, Ticks [medium]'],
    },
    {
      title: 'the bridge',
      files: {
        'Shop.java':
          'import org.springframework.cloud.stream.function.StreamBridge; class Shop { StreamBridge bridge; void a() { bridge.send("orders-out-0", order); } }',
      },
      rows: ['out 1: Messaging-Stream StreamBridge -> orders-out-0, Shop'],
    },
  ],
  notFound: [
    {
      title: 'a bean that nothing binds',
      files: { 'A.java': 'class A { @Bean Consumer<String> log() { return x -> {}; } }' },
    },
  ],
}

export const JAVA_MESSAGE_SNIPPETS: readonly FrameworkSnippets[] = [KAFKA, KAFKA_CLIENT, AMQP, JMS, STREAM]
