import type { FrameworkSnippets } from './snippet-corpus.ts'

const RABBIT: FrameworkSnippets = {
  framework: 'amqp091',
  language: 'Go',
  finds: ['messages'],
  found: [
    {
      title: 'an exchange with its routing key',
      files: {
        'publish.go': `package events
import amqp "github.com/rabbitmq/amqp091-go"
func publish(ch *amqp.Channel) {
	ch.PublishWithContext(ctx, "orders", "order.created", false, false, amqp.Publishing{Body: body})
}`,
      },
      rows: ['out 4: Messaging-RabbitMQ amqp091 -> orders, publish; key order.created'],
    },
    {
      title: 'a queue of the default exchange, and its broker',
      files: {
        'publish.go': `package events
import amqp "github.com/rabbitmq/amqp091-go"
func main() {
	conn, err := amqp.Dial("amqp://guest:guest@rabbitmq:5672/")
	ch.Publish("", "mails", false, false, amqp.Publishing{Body: body})
}`,
      },
      rows: [
        'out 4: Messaging-RabbitMQ Broker -> amqp://***@rabbitmq:5672/, main',
        'out 5: Messaging-RabbitMQ amqp091 -> mails, main',
      ],
    },
    {
      title: 'a consumer',
      files: {
        'consume.go': `package events
import "github.com/streadway/amqp"
func consume(ch *amqp.Channel) { ch.Consume("mails", "", true, false, false, false, nil) }`,
      },
      rows: ['in 3: Messaging-RabbitMQ mails, consume'],
    },
  ],
  notFound: [
    {
      title: 'other calls named Publish and Consume',
      files: {
        'x.go': `package events
import amqp "github.com/rabbitmq/amqp091-go"
func use(ch *amqp.Channel) { bus.Publish("orders", event); iterator.Consume("mails") }`,
      },
    },
  ],
}

const NATS: FrameworkSnippets = {
  framework: 'NATS',
  language: 'Go',
  finds: ['messages'],
  found: [
    {
      title: 'a subject that is published',
      files: {
        'main.go': `package main
import "github.com/nats-io/nats.go"
func main() {
	nc, _ := nats.Connect("nats://nats:4222")
	nc.Publish("orders.created", data)
}`,
      },
      rows: [
        'out 4: Messaging-NATS Broker -> nats://nats:4222, main',
        'out 5: Messaging-NATS NATS -> orders.created, main',
      ],
    },
    {
      title: 'subscriptions',
      files: {
        'sub.go': `package events
import "github.com/nats-io/nats.go"
func listen(nc *nats.Conn) {
	nc.Subscribe("orders.*", func(m *nats.Msg) {})
	nc.QueueSubscribe("mails", "workers", handle)
}`,
      },
      rows: ['in 4: Messaging-NATS orders.*, listen', 'in 5: Messaging-NATS mails, listen'],
    },
    {
      title: 'JetStream',
      files: {
        'js.go': `package events
import "github.com/nats-io/nats.go/jetstream"
func send(js jetstream.JetStream) { js.Publish(ctx, "audit.log", data) }`,
      },
      rows: ['out 3: Messaging-NATS NATS -> audit.log, send'],
    },
  ],
  notFound: [
    {
      title: 'a broker whose address is not one, and other publishers',
      files: {
        'x.go': `package events
import "github.com/nats-io/nats.go"
func use(nc *nats.Conn) { events.Publish(name) }`,
      },
    },
  ],
}

export const GO_QUEUES: readonly FrameworkSnippets[] = [RABBIT, NATS]
