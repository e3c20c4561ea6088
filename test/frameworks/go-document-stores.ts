import type { FrameworkSnippets } from './snippet-corpus.ts'

const REDIS: FrameworkSnippets = {
  framework: 'go-redis, redigo',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'options with an address',
      files: {
        'cache.go': `package cache
import "github.com/redis/go-redis/v9"
func New() { redis.NewClient(&redis.Options{Addr: "redis:6379", DB: 0}) }`,
      },
      rows: ['out 3: Redis Redis -> redis://redis:6379, New'],
    },
    {
      title: 'a parsed address',
      files: {
        'cache.go': `package cache
import "github.com/redis/go-redis/v9"
func New() {
	opt, err := redis.ParseURL(getEnv("REDIS_URL", "redis://cache:6379/1"))
	rdb := redis.NewClient(opt)
}`,
      },
      rows: ['out 5: Redis Redis -> redis://cache:6379/1, New [medium]'],
    },
    {
      title: 'redigo',
      files: {
        'cache.go': `package cache
import "github.com/gomodule/redigo/redis"
func New() { redis.Dial("tcp", "sessions:6379") }`,
      },
      rows: ['out 3: Redis Redis -> redis://sessions:6379, New'],
    },
  ],
  notFound: [
    {
      title: 'commands, and clients of other packages',
      files: {
        'cache.go': `package cache
import "github.com/redis/go-redis/v9"
func use(rdb *redis.Client) { rdb.Get(ctx, "redis://x:1"); api.NewClient("redis://x:1") }`,
      },
    },
  ],
}

const MONGO: FrameworkSnippets = {
  framework: 'mongo-driver',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'options in the call',
      files: {
        'db.go': `package db
import (
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/options"
)
func Connect() { mongo.Connect(ctx, options.Client().ApplyURI("mongodb://mongo:27017/logs")) }`,
      },
      rows: ['out 6: MongoDB MongoDB -> mongodb://mongo:27017/logs, Connect'],
    },
    {
      title: 'an address of the environment',
      files: {
        'db.go': `package db
import "go.mongodb.org/mongo-driver/v2/mongo/options"
func Connect() { opts := options.Client().ApplyURI(os.Getenv("MONGO_URI")) }`,
      },
      rows: ['out 3: MongoDB MongoDB -> MongoDB, Connect [low]'],
    },
    {
      title: 'a parameter',
      files: {
        'main.go': `package main
import "go.mongodb.org/mongo-driver/mongo/options"
func main() { newClient("mongodb://app:secret@logs-db") }
func newClient(uri string) { options.Client().ApplyURI(uri) }`,
      },
      rows: ['out 4: MongoDB MongoDB -> mongodb://***@logs-db, newClient'],
    },
  ],
  notFound: [
    {
      title: 'collections and documents',
      files: {
        'db.go': `package db
import "go.mongodb.org/mongo-driver/mongo"
func find(c *mongo.Client) { c.Database("logs").Collection("x").InsertOne(ctx, Entry{URI: "mongodb://x"}) }`,
      },
    },
  ],
}

const SEARCH: FrameworkSnippets = {
  framework: 'go-elasticsearch',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'a list of addresses',
      files: {
        'search.go': `package search
import "github.com/elastic/go-elasticsearch/v8"
func New() { elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{"http://search:9200"}}) }`,
      },
      rows: ['out 3: Elasticsearch Elasticsearch -> http://search:9200, New'],
    },
    {
      title: 'a configuration in a variable',
      files: {
        'search.go': `package search
import "github.com/elastic/go-elasticsearch/v8"
func New() {
	cfg := elasticsearch.Config{Addresses: []string{os.Getenv("ELASTIC_URL")}}
	es, err := elasticsearch.NewClient(cfg)
}`,
      },
      rows: ['out 5: Elasticsearch Elasticsearch -> Elasticsearch, New [low]'],
    },
    {
      title: 'OpenSearch',
      files: {
        'search.go': `package search
import "github.com/opensearch-project/opensearch-go/v2"
func New() { opensearch.NewClient(opensearch.Config{Addresses: []string{"http://os:9200"}}) }`,
      },
      rows: ['out 3: Elasticsearch Elasticsearch -> http://os:9200, New'],
    },
  ],
  notFound: [
    {
      title: 'the configuration of something else',
      files: {
        'search.go': `package search
import "github.com/elastic/go-elasticsearch/v8"
func use(es *elasticsearch.Client) { proxy.NewClient(proxy.Config{Addresses: []string{"http://x:1"}}) }`,
      },
    },
  ],
}

const AWS: FrameworkSnippets = {
  framework: 'AWS SDK, MinIO',
  language: 'Go',
  finds: ['stores', 'messages'],
  found: [
    {
      title: 'S3',
      files: {
        'files.go': `package files
import "github.com/aws/aws-sdk-go-v2/service/s3"
func New(cfg aws.Config) { s3.NewFromConfig(cfg) }`,
      },
      rows: ['out 3: S3 AWS SDK -> S3, New [low]'],
    },
    {
      title: 'queues of SQS',
      files: {
        'queue.go': `package queue
import "github.com/aws/aws-sdk-go-v2/service/sqs"
const queue = "https://sqs.eu-west-1.amazonaws.com/123/orders"
func send(c *sqs.Client) { c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(queue)}) }
func receive(c *sqs.Client) { c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(queue)}) }`,
      },
      rows: ['in 5: Messaging-SQS orders, receive', 'out 4: Messaging-SQS AWS SDK -> orders, send'],
    },
    {
      title: 'MinIO',
      files: {
        'files.go': `package files
import "github.com/minio/minio-go/v7"
func New() { minio.New("minio:9000", &minio.Options{Secure: false}) }`,
      },
      rows: ['out 3: S3 MinIO -> http://minio:9000, New'],
    },
  ],
  notFound: [
    {
      title: 'errors and requests',
      files: {
        'files.go': `package files
import "github.com/aws/aws-sdk-go-v2/service/s3"
func put(c *s3.Client) { c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("x")}); errors.New("s3") }`,
      },
    },
  ],
}

const CLOUD: FrameworkSnippets = {
  framework: 'Firestore, Cosmos DB, Couchbase',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'a client of Firestore has the name of a project, not an address',
      files: {
        'a.go': `package a
import "cloud.google.com/go/firestore"
func New() { firestore.NewClient(ctx, os.Getenv("GCP_PROJECT")) }`,
      },
      rows: ['out 3: Firestore Firestore -> Firestore, New [low]'],
    },
    {
      title: 'Cosmos DB',
      files: {
        'a.go': `package a
import "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
func New() { azcosmos.NewClientWithKey("https://shop.documents.azure.com", key, nil) }`,
      },
      rows: ['out 3: Cosmos DB Cosmos DB -> https://shop.documents.azure.com, New'],
    },
    {
      title: 'Couchbase',
      files: {
        'a.go': `package a
import "github.com/couchbase/gocb/v2"
func New() { gocb.Connect("couchbase://db", options) }`,
      },
      rows: ['out 3: Couchbase Couchbase -> couchbase://db, New'],
    },
  ],
  notFound: [
    {
      title: 'other clients of the same clouds',
      files: {
        'a.go': `package a
import "cloud.google.com/go/translate"
func New() { translate.NewClient(ctx) }`,
      },
    },
  ],
}

export const GO_OTHER_STORES: readonly FrameworkSnippets[] = [REDIS, MONGO, SEARCH, AWS, CLOUD]
