/** Names of popular npm packages: code in many styles, most of it with its sources. */
export const NPM_PACKAGES: readonly string[] = `
express fastify koa koa-router @koa/router koa-body koa-mount koa-compose koa-static koa-send hapi @hapi/hapi @hapi/boom @hapi/hoek
restify connect finalhandler serve-static send body-parser cookie-parser cookie-session express-session morgan cors helmet compression
multer passport passport-local passport-jwt jsonwebtoken jws jwa bcryptjs csurf errorhandler method-override response-time serve-favicon
serve-index vary etag fresh range-parser type-is accepts content-type content-disposition depd destroy ee-first encodeurl escape-html
on-finished on-headers parseurl path-to-regexp proxy-addr qs raw-body statuses toidentifier unpipe utils-merge forwarded ipaddr.js
mime mime-types mime-db negotiator merge-descriptors methods array-flatten safe-buffer safer-buffer iconv-lite bytes ms debug
@fastify/autoload @fastify/cors @fastify/cookie @fastify/jwt @fastify/static @fastify/sensible @fastify/swagger @fastify/multipart @fastify/helmet @fastify/rate-limit fastify-plugin
hono @hono/node-server elysia polka sirv tinyhttp find-my-way light-my-request avvio pino pino-http pino-pretty thread-stream sonic-boom
winston winston-transport logform triple-beam bunyan log4js loglevel signale consola npmlog
axios got ky node-fetch undici superagent request needle follow-redirects form-data http-proxy http-proxy-middleware http-errors agent-base https-proxy-agent proxy-agent
ws socket.io socket.io-client socket.io-parser engine.io engine.io-client engine.io-parser sockjs faye-websocket websocket-driver mqtt amqplib kafkajs bull bullmq bee-queue agenda
redis ioredis redis-parser pg pg-pool pg-protocol pg-types pg-connection-string postgres mysql mysql2 sqlite mongodb mongoose bson knex objection sequelize typeorm
drizzle-orm kysely bookshelf waterline nedb lowdb levelup leveldown abstract-leveldown memcached tedious oracledb-promise cassandra-driver neo4j-driver
@nestjs/common @nestjs/core @nestjs/microservices @nestjs/graphql @nestjs/swagger @nestjs/typeorm @nestjs/config @nestjs/jwt @nestjs/passport @nestjs/schedule
@trpc/server @trpc/client graphql graphql-tag graphql-yoga @apollo/server @graphql-tools/schema @graphql-tools/utils graphql-request graphql-ws dataloader type-graphql
zod yup joi ajv ajv-formats superstruct io-ts validator class-validator class-transformer
react react-dom react-router react-router-dom redux react-redux redux-thunk @reduxjs/toolkit reselect immer mobx zustand jotai recoil
vue vue-router vuex pinia preact svelte solid-js lit lit-html lit-element next nuxt
lodash underscore ramda rxjs immutable async bluebird q p-limit p-queue p-map p-retry p-timeout co
moment dayjs date-fns luxon ms pretty-ms timeago.js chrono-node cron node-cron node-schedule later croner
chalk kleur picocolors ansi-styles supports-color strip-ansi string-width wrap-ansi ora cli-table3 boxen figures log-symbols cli-spinners
commander yargs yargs-parser minimist meow cac inquirer prompts enquirer arg mri oclif @oclif/core
fs-extra graceful-fs rimraf mkdirp glob minimatch micromatch picomatch fast-glob globby chokidar tmp del cpy make-dir find-up pkg-dir
webpack webpack-cli webpack-dev-server webpack-merge rollup esbuild vite parcel-bundler terser uglify-js tapable enhanced-resolve loader-utils schema-utils css-loader style-loader
babel-core @babel/core @babel/parser @babel/traverse @babel/generator @babel/types @babel/template acorn acorn-walk esprima estraverse escodegen espree recast
eslint eslint-plugin-import eslint-plugin-react eslint-scope prettier jshint standard stylelint postcss autoprefixer cssnano sass less stylus
typescript ts-node tsx ts-morph tslib
jest mocha chai sinon ava tape nyc c8 supertest nock proxyquire karma jasmine-core cypress-real-events
handlebars ejs pug mustache nunjucks eta liquidjs marked markdown-it remark unified showdown
cheerio jsdom parse5 htmlparser2 domhandler css-select xml2js fast-xml-parser sax js-yaml yaml toml ini csv-parse csv-stringify papaparse
uuid nanoid shortid cuid hashids crypto-js node-forge tweetnacl elliptic bn.js object-hash
semver resolve which cross-spawn execa shelljs npm-run-all concurrently nodemon pm2 forever dotenv config convict rc cosmiconfig
aws-sdk-client-mock sqs-consumer nodemailer mailparser stripe twilio twit telegraf discord.js puppeteer-core playwright-core
socketcluster primus seneca moleculer cote nconf i18next i18n polyglot-node numeral accounting mathjs big.js bignumber.js decimal.js
d3-array d3-scale d3-shape d3-selection chart.js three pixi.js phaser leaflet
tar archiver unzipper jszip adm-zip pako yauzl through2 readable-stream duplexify pump concat-stream end-of-stream split2 highland
eventemitter3 eventemitter2 events mitt nanoevents lru-cache node-cache quick-lru cacheable-request keyv flat-cache
deepmerge clone rfdc fast-deep-equal deep-equal fast-json-stringify flatted object-assign extend is-plain-object
feathers @feathersjs/feathers @feathersjs/express loopback-connector sails-hook-orm strapi-utils ghost-storage-base keystone
`
  .trim()
  .split(/\s+/)
