import type { FrameworkSnippets } from './snippet-corpus.ts'

const CELERY_SNIPPETS: FrameworkSnippets = {
  framework: 'Celery',
  language: 'Python',
  finds: ['messages', 'stores'],
  found: [
    {
      title: 'tasks, their calls from another file, and the broker',
      files: {
        'worker/tasks.py': `from celery import Celery
app = Celery("worker", broker="amqp://guest:guest@rabbitmq:5672//")
@app.task(name="mail.send", bind=True)
def send_mail(self, to): ...`,
        'web/views.py': `from worker.tasks import send_mail
def sign_up(request):
    send_mail.delay("a@example.org")`,
      },
      rows: [
        'in 4: Messaging-Celery mail.send, send_mail',
        'out 3: Messaging-Celery Celery -> mail.send',
        'out 2: Messaging-RabbitMQ Broker -> amqp://***@rabbitmq:5672//',
      ],
    },
    {
      title: 'shared tasks of a module, tasks by name',
      files: {
        'shop/tasks.py': `from celery import shared_task
@shared_task
def clean(): ...`,
        'shop/jobs.py': `from celery import current_app
from shop import tasks
def run():
    tasks.clean.apply_async(countdown=5)
    current_app.send_task("reports.build", args=[1])`,
      },
      rows: [
        'in 3: Messaging-Celery clean, clean',
        'out 4: Messaging-Celery Celery -> clean',
        'out 5: Messaging-Celery Celery -> reports.build',
      ],
    },
    {
      title: 'schedules, the broker as a setting',
      files: {
        'shop/settings.py': `import os
from celery.schedules import crontab
CELERY_BROKER_URL = os.environ.get("BROKER", "redis://redis:6379/1")
CELERY_BEAT_SCHEDULE = {
    "clean": {"task": "shop.tasks.clean", "schedule": crontab(minute=0, hour=3)},
    "poll": {"task": "shop.tasks.poll", "schedule": 30.0},
}`,
      },
      rows: [
        'in 4: Scheduled cron 0 3 * * *, shop.tasks.clean',
        'in 4: Scheduled every 30.0 s, shop.tasks.poll',
        'out 3: Redis Broker -> redis://redis:6379/1 [medium]',
      ],
    },
  ],
  notFound: [
    {
      title: 'a delay of something else, a decorator of the same name, a result backend without a server',
      files: {
        'a.py': `from build import rule
CELERY_RESULT_BACKEND = "django-db"
@rule.task
def compile(): ...
def run(timer):
    timer.delay(5)
    compile.delay()`,
      },
    },
  ],
}

const KAFKA_SNIPPETS: FrameworkSnippets = {
  framework: 'kafka-python, aiokafka, confluent-kafka',
  language: 'Python',
  finds: ['messages'],
  found: [
    {
      title: 'kafka-python: a producer and a consumer',
      files: {
        'a.py': `from kafka import KafkaConsumer, KafkaProducer
TOPIC = "orders"
producer = KafkaProducer(bootstrap_servers=["kafka:9092"])
def place(order):
    producer.send(TOPIC, order)
def listen():
    for message in KafkaConsumer("payments", "refunds", bootstrap_servers="kafka:9092"):
        print(message)`,
      },
      rows: [
        'in 7: Messaging-Kafka payments',
        'in 7: Messaging-Kafka refunds',
        'out 3: Messaging-Kafka Broker -> kafka:9092',
        'out 5: Messaging-Kafka kafka-python -> orders',
        'out 7: Messaging-Kafka Broker -> kafka:9092',
      ],
    },
    {
      title: 'aiokafka: a producer of a class, topics of a settings object',
      files: {
        'a.py': `from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from config import Config
class Events:
    def __init__(self):
        self.producer = AIOKafkaProducer(bootstrap_servers=Config.SERVERS)
    async def publish(self, value):
        await self.producer.send_and_wait("events", value)
consumer = AIOKafkaConsumer(Config.TOPIC, bootstrap_servers=Config.SERVERS)`,
        'config.py': `class Config:
    TOPIC = "audit"
    SERVERS = "broker:29092"`,
      },
      rows: [
        'in 8: Messaging-Kafka audit',
        'out 5: Messaging-Kafka Broker -> broker:29092, Events',
        'out 7: Messaging-Kafka aiokafka -> events, Events',
        'out 8: Messaging-Kafka Broker -> broker:29092',
      ],
    },
    {
      title: 'confluent-kafka: settings in a dictionary',
      files: {
        'a.py': `from confluent_kafka import Consumer, Producer
producer = Producer({"bootstrap.servers": "kafka:9092"})
producer.produce("metrics", value=b"1")
consumer = Consumer({"bootstrap.servers": "kafka:9092", "group.id": "a"})
consumer.subscribe(["metrics"])`,
      },
      rows: [
        'in 5: Messaging-Kafka metrics',
        'out 2: Messaging-Kafka Broker -> kafka:9092',
        'out 3: Messaging-Kafka confluent-kafka -> metrics',
        'out 4: Messaging-Kafka Broker -> kafka:9092',
      ],
    },
  ],
  notFound: [
    {
      title: 'methods of the same names on sockets and signals',
      files: {
        'a.py': `import socket
from django.dispatch import Signal
def run(sock, feed):
    sock.send("orders")
    feed.subscribe(["orders"])
    Signal().send("orders")`,
      },
    },
  ],
}

const RABBIT_SNIPPETS: FrameworkSnippets = {
  framework: 'pika, aio-pika',
  language: 'Python',
  finds: ['messages'],
  found: [
    {
      title: 'pika: the default exchange and a consumer',
      files: {
        'a.py': `import pika
connection = pika.BlockingConnection(pika.ConnectionParameters(host="rabbitmq"))
channel = connection.channel()
channel.basic_publish(exchange="", routing_key="emails", body="x")
channel.basic_consume(queue="results", on_message_callback=print)`,
      },
      rows: [
        'in 5: Messaging-RabbitMQ results',
        'out 2: Messaging-RabbitMQ Broker -> amqp://rabbitmq',
        'out 4: Messaging-RabbitMQ pika -> emails',
      ],
    },
    {
      title: 'pika: a named exchange of a class',
      files: {
        'a.py': `import pika
class Publisher:
    exchange = "orders"
    def publish(self, body):
        self.channel.basic_publish(self.exchange, "created", body)`,
      },
      rows: ['out 5: Messaging-RabbitMQ pika -> orders, Publisher'],
    },
    {
      title: 'aio-pika: a queue that is declared and consumed',
      files: {
        'a.py': `import aio_pika
async def main():
    connection = await aio_pika.connect_robust("amqp://guest:guest@rabbitmq/")
    channel = await connection.channel()
    queue = await channel.declare_queue("jobs", durable=True)
    await queue.consume(print)
    await channel.default_exchange.publish(aio_pika.Message(b"x"), routing_key="done")`,
      },
      rows: [
        'in 6: Messaging-RabbitMQ jobs',
        'out 3: Messaging-RabbitMQ Broker -> amqp://***@rabbitmq/',
        'out 7: Messaging-RabbitMQ aio-pika -> done',
      ],
    },
  ],
  notFound: [
    {
      title: 'publish and consume of other libraries',
      files: {
        'a.py': `import blog
def run(post, queue):
    post.publish("now", routing_key="x")
    queue.consume(print)`,
      },
    },
  ],
}

export const PYTHON_MESSAGE_SNIPPETS: readonly FrameworkSnippets[] = [
  CELERY_SNIPPETS,
  KAFKA_SNIPPETS,
  RABBIT_SNIPPETS,
]
