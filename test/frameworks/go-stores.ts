import type { FrameworkSnippets } from './snippet-corpus.ts'

const GO_SQL: FrameworkSnippets = {
  framework: 'database/sql',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'an address in the code, without its password',
      files: {
        'db.go': `package db
import (
	"database/sql"
	_ "github.com/lib/pq"
)
func Open() (*sql.DB, error) {
	return sql.Open("postgres", "postgres://shop:secret@db:5432/shop?sslmode=disable")
}`,
      },
      rows: ['out 7: SQL database/sql -> postgres://***@db:5432/shop, Open'],
    },
    {
      title: 'a connection string of keywords with defaults of the environment',
      files: {
        'main.go': `package main
import (
	"database/sql"
	"fmt"
)
func main() {
	host := getEnv("DB_HOST", "orders-db")
	dsn := fmt.Sprintf("host=%s port=%d user=app password=%s dbname=orders", host, 5432, os.Getenv("DB_PASSWORD"))
	db, err := sql.Open("pgx", dsn)
}`,
      },
      rows: ['out 9: SQL database/sql -> postgresql://orders-db:5432/orders, main [medium]'],
    },
    {
      title: 'MySQL and SQLite, given to a function of another package',
      files: {
        'main.go': `package main
import "example.com/shop/store"
func main() {
	store.OpenDB("mysql", "root:secret@tcp(mysql:3306)/shop?parseTime=true")
}`,
        'store/store.go': `package store
import "database/sql"
func OpenDB(driver, dsn string) {
	sql.Open(driver, dsn)
	sql.Open("sqlite3", "file:cache.db?mode=rwc")
}`,
      },
      rows: [
        'out 4: SQL database/sql -> mysql://mysql:3306/shop, OpenDB',
        'out 5: SQL database/sql -> sqlite:cache.db, OpenDB',
      ],
    },
  ],
  notFound: [
    {
      title: 'files, and queries on a connection',
      files: {
        'db.go': `package db
import (
	"database/sql"
	"os"
)
func load(db *sql.DB) {
	os.Open("postgres.conf")
	db.Query("select 1")
	registry.Open("postgres", "postgres://db/shop")
}`,
      },
    },
  ],
}

const GORM: FrameworkSnippets = {
  framework: 'GORM',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'a connection string',
      files: {
        'db.go': `package db
import (
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)
func Connect() {
	dsn := "host=localhost user=gorm password=gorm dbname=shop port=9920"
	gorm.Open(postgres.Open(dsn), &gorm.Config{})
}`,
      },
      rows: ['out 8: SQL GORM -> postgresql://localhost:9920/shop, Connect'],
    },
    {
      title: 'a field of a configuration that the environment fills',
      files: {
        'config/config.go': `package config
type Config struct {
	DSN string \`env:"DB_DSN" envDefault:"app:app@tcp(mysql:3306)/app"\`
}`,
        'db/db.go': `package db
import (
	"gorm.io/driver/mysql"
	"example.com/app/config"
)
func Connect(cfg *config.Config) {
	gorm.Open(mysql.New(mysql.Config{DSN: cfg.DSN}), &gorm.Config{})
}`,
      },
      rows: ['out 7: SQL GORM -> mysql://mysql:3306/app, Connect [medium]'],
    },
    {
      title: 'a file, and an address that is known only at run time',
      files: {
        'db.go': `package db
import (
	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
)
func Connect(path string) {
	gorm.Open(sqlite.Open("data/app.db"), nil)
	gorm.Open(postgres.Open(readSecret()), nil)
}`,
      },
      rows: [
        'out 7: SQL GORM -> sqlite:data/app.db, Connect',
        'out 8: SQL GORM -> PostgreSQL, Connect [low]',
      ],
    },
  ],
  notFound: [
    {
      title: 'models and queries',
      files: {
        'user.go': `package user
import "gorm.io/gorm"
type User struct { gorm.Model }
func find(db *gorm.DB) { db.Where("id = ?", 1).First(&User{Name: "x"}) }`,
      },
    },
  ],
}

const PGX: FrameworkSnippets = {
  framework: 'pgx, sqlx',
  language: 'Go',
  finds: ['stores'],
  found: [
    {
      title: 'a pool',
      files: {
        'db.go': `package db
import "github.com/jackc/pgx/v5/pgxpool"
const url = "postgres://app@users-db/users"
func Open(ctx context.Context) { pgxpool.New(ctx, url) }`,
      },
      rows: ['out 4: SQL pgx -> postgres://***@users-db/users, Open'],
    },
    {
      title: 'a pool with a parsed configuration',
      files: {
        'db.go': `package db
import "github.com/jackc/pgx/v5/pgxpool"
func Open(ctx context.Context) {
	cfg, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
}`,
      },
      rows: ['out 5: SQL pgx -> PostgreSQL, Open [low]'],
    },
    {
      title: 'sqlx',
      files: {
        'db.go': `package db
import "github.com/jmoiron/sqlx"
func Open() { sqlx.MustConnect("mysql", "app@tcp(db:3306)/app") }`,
      },
      rows: ['out 3: SQL sqlx -> mysql://db:3306/app, Open'],
    },
  ],
  notFound: [
    {
      title: 'other functions named New and Connect',
      files: {
        'db.go': `package db
import "github.com/jackc/pgx/v5/pgxpool"
func use(pool *pgxpool.Pool) { client.Connect(ctx, "postgres://db/x"); errors.New("postgres://db/x") }`,
      },
    },
  ],
}

export const GO_SQL_STORES: readonly FrameworkSnippets[] = [GO_SQL, GORM, PGX]
