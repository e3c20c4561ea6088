import type { FrameworkSnippets } from './snippet-corpus.ts'

const KAFKA_GO: FrameworkSnippets = {
  framework: 'kafka-go',
  language: 'Go',
  finds: ['messages'],
  found: [
    {
      title: 'a writer with its topic',
      files: {
        'producer.go': `package events
import "github.com/segmentio/kafka-go"
func newWriter() { w := &kafka.Writer{Addr: kafka.TCP("kafka:9092"), Topic: "orders"} }`,
      },
      rows: [
        'out 3: Messaging-Kafka Broker -> kafka:9092, newWriter',
        'out 3: Messaging-Kafka kafka-go -> orders, newWriter',
      ],
    },
    {
      title: 'a reader that gets its topic from another package',
      files: {
        'main.go': `package main
import "example.com/shop/events"
func main() { events.NewConsumer([]string{"kafka:9092"}, "orders") }`,
        'events/consumer.go': `package events
import "github.com/segmentio/kafka-go"
func NewConsumer(brokers []string, topic string) {
	kafka.NewReader(kafka.ReaderConfig{Brokers: brokers, Topic: topic, GroupID: "shop"})
}`,
      },
      rows: [
        'in 4: Messaging-Kafka orders, NewConsumer',
        'out 4: Messaging-Kafka Broker -> kafka:9092, NewConsumer',
      ],
    },
    {
      title: 'the topic of a message',
      files: {
        'producer.go': `package events
import "github.com/segmentio/kafka-go"
const topic = "payments"
func send(w *kafka.Writer) { w.WriteMessages(ctx, kafka.Message{Topic: topic, Value: body}) }`,
      },
      rows: ['out 4: Messaging-Kafka kafka-go -> payments, send'],
    },
  ],
  notFound: [
    {
      title: 'messages of other packages, and topics that are known only at run time',
      files: {
        'producer.go': `package events
import "github.com/segmentio/kafka-go"
func send(w *kafka.Writer, topic string) {
	w.WriteMessages(ctx, kafka.Message{Topic: topic, Value: body})
	mail.Send(mail.Message{Topic: "hello"})
}`,
      },
    },
  ],
}

const SARAMA: FrameworkSnippets = {
  framework: 'sarama',
  language: 'Go',
  finds: ['messages'],
  found: [
    {
      title: 'a producer',
      files: {
        'producer.go': `package events
import "github.com/IBM/sarama"
func send() {
	p, err := sarama.NewSyncProducer([]string{"kafka:9092"}, nil)
	p.SendMessage(&sarama.ProducerMessage{Topic: "orders", Value: v})
}`,
      },
      rows: [
        'out 4: Messaging-Kafka Broker -> kafka:9092, send',
        'out 5: Messaging-Kafka sarama -> orders, send',
      ],
    },
    {
      title: 'a consumer group',
      files: {
        'consumer.go': `package events
import "github.com/Shopify/sarama"
var topics = []string{"orders", "payments"}
func run(g sarama.ConsumerGroup) { g.Consume(ctx, topics, handler) }`,
      },
      rows: ['in 4: Messaging-Kafka orders, run', 'in 4: Messaging-Kafka payments, run'],
    },
    {
      title: 'a partition',
      files: {
        'consumer.go': `package events
import "github.com/IBM/sarama"
func run(c sarama.Consumer) { c.ConsumePartition("audit", 0, sarama.OffsetOldest) }`,
      },
      rows: ['in 3: Messaging-Kafka audit, run'],
    },
  ],
  notFound: [
    {
      title: 'other messages and consumers',
      files: {
        'x.go': `package events
import "github.com/IBM/sarama"
func use() { q.Consume("orders"); s.SendMessage(chat.ProducerMessage{Topic: "x"}) }`,
      },
    },
  ],
}

const CONFLUENT: FrameworkSnippets = {
  framework: 'confluent-kafka-go',
  language: 'Go',
  finds: ['messages'],
  found: [
    {
      title: 'a producer',
      files: {
        'producer.go': `package events
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
func send() {
	p, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "kafka:9092"})
	topic := "orders"
	p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}}, nil)
}`,
      },
      rows: [
        'out 4: Messaging-Kafka Broker -> kafka:9092, send',
        'out 6: Messaging-Kafka confluent-kafka-go -> orders, send',
      ],
    },
    {
      title: 'a list of topics',
      files: {
        'consumer.go': `package events
import "github.com/confluentinc/confluent-kafka-go/kafka"
func run(c *kafka.Consumer) { c.SubscribeTopics([]string{"orders", "refunds"}, nil) }`,
      },
      rows: ['in 3: Messaging-Kafka orders, run', 'in 3: Messaging-Kafka refunds, run'],
    },
    {
      title: 'a topic',
      files: {
        'consumer.go': `package events
import "github.com/confluentinc/confluent-kafka-go/kafka"
func run(c *kafka.Consumer) { c.Subscribe("orders", nil) }`,
      },
      rows: ['in 3: Messaging-Kafka orders, run'],
    },
  ],
  notFound: [
    {
      title: 'another map of settings',
      files: {
        'x.go': `package events
import "github.com/confluentinc/confluent-kafka-go/kafka"
func use() { http.NewProducer(&http.ConfigMap{"bootstrap.servers": "kafka:9092"}) }`,
      },
    },
  ],
}

export const GO_KAFKA: readonly FrameworkSnippets[] = [KAFKA_GO, SARAMA, CONFLUENT]
