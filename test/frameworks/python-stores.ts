import type { FrameworkSnippets } from './snippet-corpus.ts'

const SQLALCHEMY: FrameworkSnippets = {
  framework: 'SQLAlchemy, SQLModel',
  language: 'Python',
  finds: ['stores'],
  found: [
    {
      title: 'an engine with an address that a property of the settings builds',
      files: {
        'app/db.py': `from sqlmodel import create_engine
from app.config import settings
engine = create_engine(str(settings.database_uri))`,
        'app/config.py': `from pydantic import PostgresDsn
class Settings(BaseSettings):
    HOST: str = "db"
    @property
    def database_uri(self) -> PostgresDsn:
        return PostgresDsn.build(scheme="postgresql+psycopg", host=self.HOST, port=5432, path="app")
settings = Settings()`,
      },
      rows: ['out 3: SQL SQLAlchemy -> postgresql+psycopg://db:5432/app [medium]'],
    },
    {
      title: 'an asynchronous engine with credentials of the environment, a variable without a default',
      files: {
        'a.py': `import os
from sqlalchemy.ext.asyncio import create_async_engine
engine = create_async_engine(f"postgresql+asyncpg://{USER}:{PASSWORD}@db/app", echo=True)
other = create_async_engine(os.environ["DATABASE_URL"])`,
      },
      rows: [
        'out 3: SQL SQLAlchemy -> postgresql+asyncpg://db/app [medium]',
        'out 4: SQL SQLAlchemy -> database [low]',
      ],
    },
    {
      title: 'settings of Flask',
      files: {
        'a.py': `from flask import Flask
app = Flask(__name__)
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite:///notes.db"
class Config:
    SQLALCHEMY_DATABASE_URI = "mysql+pymysql://mysql/notes"`,
      },
      rows: [
        'out 3: SQL SQLAlchemy -> sqlite:///notes.db',
        'out 5: SQL SQLAlchemy -> mysql+pymysql://mysql/notes',
      ],
    },
  ],
  notFound: [
    {
      title: 'engines of something else',
      files: {
        'a.py': `from sqlalchemy import Column
from games import create_engine
engine = create_engine("postgresql://db/app")`,
      },
    },
  ],
}

const DRIVERS: FrameworkSnippets = {
  framework: 'psycopg, asyncpg, PyMySQL, sqlite3',
  language: 'Python',
  finds: ['stores'],
  found: [
    {
      title: 'connection strings and keyword arguments',
      files: {
        'a.py': `import psycopg2
psycopg2.connect("dbname=test host=pg1 user=app")
psycopg2.connect(host="pg2", database="app", password="x")`,
      },
      rows: ['out 2: SQL psycopg -> postgresql://pg1', 'out 3: SQL psycopg -> postgresql://pg2/app'],
    },
    {
      title: 'pools',
      files: {
        'a.py': `import asyncpg
from psycopg_pool import ConnectionPool
pool = ConnectionPool(conninfo="postgresql://pg/app")
async def start():
    return await asyncpg.create_pool(dsn="postgresql://reports/app")`,
      },
      rows: ['out 3: SQL psycopg -> postgresql://pg/app', 'out 5: SQL asyncpg -> postgresql://reports/app'],
    },
    {
      title: 'MySQL and SQLite',
      files: {
        'a.py': `import pymysql, sqlite3
pymysql.connect(host="mysql", port=3306, db="app")
sqlite3.connect("cache.db")`,
      },
      rows: ['out 2: SQL MySQL client -> mysql://mysql:3306', 'out 3: SQL sqlite3 -> sqlite:cache.db'],
    },
  ],
  notFound: [
    {
      title: 'connections of other objects',
      files: {
        'a.py': `import psycopg2
signal.connect("host=pg1")
socket.connect(("pg2", 5432))`,
      },
    },
  ],
}

const NO_SQL: FrameworkSnippets = {
  framework: 'redis, PyMongo, Motor, Elasticsearch, OpenSearch, Firestore, Cosmos DB',
  language: 'Python',
  finds: ['stores'],
  found: [
    {
      title: 'redis: hosts, addresses, asynchronous clients',
      files: {
        'a.py': `import os, redis
import redis.asyncio as aioredis
from redis import Redis
a = redis.Redis(host="cache", port=6379, db=0)
b = Redis.from_url(os.getenv("REDIS_URL", "redis://sessions:6379/0"))
c = aioredis.from_url(f"redis://{HOST}:6379")`,
      },
      rows: [
        'out 4: Redis redis -> redis://cache:6379',
        'out 5: Redis redis -> redis://sessions:6379/0 [medium]',
        'out 6: Redis redis -> Redis [low]',
      ],
    },
    {
      title: 'Firestore and Cosmos DB',
      files: {
        'a.py': `from google.cloud import firestore
from azure.cosmos import CosmosClient
a = firestore.AsyncClient()
b = CosmosClient("https://shop.documents.azure.com", credential=key)`,
      },
      rows: [
        'out 3: Firestore Firestore -> Firestore [low]',
        'out 4: Cosmos DB Cosmos DB -> https://shop.documents.azure.com',
      ],
    },
    {
      title: 'MongoDB',
      files: {
        'a.py': `from pymongo import MongoClient
from motor.motor_asyncio import AsyncIOMotorClient
one = MongoClient("mongodb://app:secret@mongo:27017/shop")
class Store:
    def __init__(self):
        self.client = AsyncIOMotorClient("mongodb://mongo")`,
      },
      rows: [
        'out 3: MongoDB PyMongo -> mongodb://***@mongo:27017/shop',
        'out 6: MongoDB PyMongo -> mongodb://mongo, Store',
      ],
    },
    {
      title: 'search servers',
      files: {
        'a.py': `from elasticsearch import Elasticsearch
from opensearchpy import OpenSearch
one = Elasticsearch("http://search:9200")
two = OpenSearch(hosts=[{"host": "logs", "port": 9200}])`,
      },
      rows: [
        'out 3: Elasticsearch Elasticsearch -> http://search:9200',
        'out 4: Elasticsearch Elasticsearch -> http://logs:9200',
      ],
    },
  ],
  notFound: [
    {
      title: 'classes of the project with the same names',
      files: {
        'a.py': `from fakes import MongoClient, Redis
Redis(host="cache")
MongoClient("mongodb://mongo")`,
      },
    },
  ],
}

const BOTO: FrameworkSnippets = {
  framework: 'boto3, aioboto3',
  language: 'Python',
  finds: ['stores', 'messages'],
  found: [
    {
      title: 'services by name',
      files: {
        'a.py': `import boto3
s3 = boto3.client(service_name="s3")
table = boto3.resource("dynamodb").Table("orders")`,
      },
      rows: ['out 2: S3 boto3 -> S3', 'out 3: DynamoDB boto3 -> DynamoDB'],
    },
    {
      title: 'a session, an address of its own',
      files: {
        'a.py': `import boto3
session = boto3.Session(profile_name="dev")
s3 = session.client("s3", endpoint_url="http://minio:9000")`,
      },
      rows: ['out 3: S3 boto3 -> http://minio:9000'],
    },
    {
      title: 'messages of a queue',
      files: {
        'a.py': `import boto3
sqs = boto3.client("sqs")
QUEUE = "https://sqs.eu-west-1.amazonaws.com/1/jobs"
def run():
    sqs.send_message(QueueUrl=QUEUE, MessageBody="x")
    return sqs.receive_message(QueueUrl=QUEUE)`,
      },
      rows: [
        'in 6: Messaging-SQS https://sqs.eu-west-1.amazonaws.com/1/jobs',
        'out 2: Messaging-SQS Broker -> SQS',
        'out 5: Messaging-SQS boto3 -> https://sqs.eu-west-1.amazonaws.com/1/jobs',
      ],
    },
  ],
  notFound: [
    {
      title: 'services that are neither stores nor brokers',
      files: {
        'a.py': `import boto3
boto3.client("ec2")
other.client("s3")`,
      },
    },
  ],
}

export const PYTHON_STORE_SNIPPETS: readonly FrameworkSnippets[] = [SQLALCHEMY, DRIVERS, NO_SQL, BOTO]
