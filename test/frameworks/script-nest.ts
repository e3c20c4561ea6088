import type { FrameworkSnippets } from './snippet-corpus.ts'

const language = 'TypeScript, JavaScript'

export const NESTJS: FrameworkSnippets = {
  framework: 'NestJS',
  language,
  finds: ['endpoints', 'calls', 'messages'],
  found: [
    {
      title: 'controllers below a prefix that a helper sets',
      files: {
        'src/start/http.ts': `import { NestFactory } from '@nestjs/core'
export async function start() { app.setGlobalPrefix('api') }`,
        'src/enums.ts': "export enum Paths { Cats = 'cats', Dogs = 'dogs' }",
        'src/cats/cats.controller.ts': `import { Controller, Get, Post } from '@nestjs/common'
import { Paths } from '../enums'
@Controller(Paths.Cats)
export class CatsController {
  @Get(':id') one() {}
  @Post() add() {}
}`,
      },
      rows: [
        'in 5: REST GET /api/cats/:id, CatsController.one',
        'in 6: REST POST /api/cats, CatsController.add',
      ],
    },
    {
      title: 'prefixes of modules',
      files: {
        'app.module.ts': `import { RouterModule } from '@nestjs/core'
import { AdminModule } from './admin.module'
import { UsersModule } from './users.module'
@Module({
  imports: [RouterModule.register([{ path: 'admin', module: AdminModule, children: [{ path: 'people', module: UsersModule }] }])],
})
export class AppModule {}`,
        'admin.module.ts': `@Module({ controllers: [Dashboard] }) export class AdminModule {}
@Controller('dashboard') class Dashboard { @Get() show() {} }
@Controller('free') class Free { @Get() show() {} }`,
        'users.module.ts': `import { Users } from './users.controller'
@Module({ controllers: [Users] }) export class UsersModule {}`,
        'users.controller.ts': `@Controller() export class Users { @Get(':id') one() {} }`,
      },
      rows: [
        'in 2: REST GET /admin/dashboard, Dashboard.show',
        'in 3: REST GET /free, Free.show',
        'in 1: REST GET /admin/people/:id, Users.one',
      ],
    },
    {
      title: 'messages of a microservice, with its broker',
      files: {
        'orders/src/main.ts': `import { NestFactory } from '@nestjs/core'
async function bootstrap() {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, {
    transport: Transport.RMQ,
    options: { urls: ['amqp://rabbit:5672'], queue: 'orders' },
  })
}`,
        'orders/src/orders.controller.ts': `@Controller() class Orders {
  @EventPattern('order.paid') paid() {}
  @MessagePattern({ cmd: 'total' }) total() {}
}`,
        'shop/src/app.module.ts': `@Module({
  imports: [
    ClientsModule.register([
      { name: 'EVENTS', transport: Transport.KAFKA, options: { client: { brokers: ['kafka:9092'] } } },
    ]),
    ClientsModule.registerAsync([
      { name: 'ORDERS', useFactory: (config) => ({ transport: Transport.RMQ, options: { urls: [config.get('RABBIT')] } }) },
    ]),
  ],
})
export class AppModule {}`,
        'shop/src/shop.service.ts': `@Injectable() export class Shop {
  constructor(@Inject('ORDERS') private readonly orders: ClientProxy, private readonly events: ClientKafka) {}
  pay(other: Emitter) {
    this.orders.send({ cmd: 'total' }, {})
    this.events.emit('order.seen', {})
    other.emit('no.client', {})
  }
}`,
      },
      rows: [
        'in 2: Messaging-RabbitMQ order.paid, Orders.paid',
        'in 3: Messaging-RabbitMQ total, Orders.total',
        'out 3: Messaging-RabbitMQ Broker -> amqp://rabbit:5672',
        'out 3: Messaging-Kafka Broker -> kafka:9092, AppModule',
        'out 6: Messaging-RabbitMQ Broker -> RabbitMQ, AppModule [low]',
        'out 4: Messaging-Nest ClientProxy -> total, Shop',
        'out 5: Messaging-Kafka ClientProxy -> order.seen, Shop',
      ],
    },
    {
      title: 'messages of the only broker of a project',
      files: {
        'app.module.ts': `import { ClientsModule, Transport } from '@nestjs/microservices'
@Module({
  imports: [ClientsModule.register([{ name: 'BOOKS', transport: Transport.KAFKA, options: { client: { brokers: ['kafka:9092'] } } }])],
})
export class AppModule {}`,
        'books.consumer.ts': `import { EventPattern } from '@nestjs/microservices'
@Controller()
export class BooksConsumer {
  @EventPattern('book_created')
  created() {}
}`,
      },
      rows: [
        'in 5: Messaging-Kafka book_created, BooksConsumer.created',
        'out 3: Messaging-Kafka Broker -> kafka:9092, AppModule',
      ],
    },
    {
      title: 'clients of gRPC services and queues',
      files: {
        'hero.proto': 'package hero;\nservice HeroesService { rpc FindOne (A) returns (B); }',
        'a.ts': `@Injectable() class Heroes {
  constructor(@InjectQueue('mails') private readonly mails: Queue, private client: ClientGrpc) {}
  onModuleInit() { this.heroes = this.client.getService<HeroesService>('HeroesService') }
}`,
      },
      rows: [
        'out 2: Messaging-BullMQ BullMQ -> mails, Heroes',
        'out 3: gRPC ClientGrpc -> hero.HeroesService, Heroes',
      ],
    },
    {
      title: 'global prefix of the nearest application, without excluded paths',
      files: {
        'apps/a/src/main.ts': `async function bootstrap() {
  app.setGlobalPrefix('api', { exclude: ['health', { path: 'files/*path', method: RequestMethod.GET }] })
}`,
        'apps/a/src/x/users.controller.ts': `@Controller(['users', 'people'])
class Users {
  @Get() all() {}
}
@Controller()
class Other {
  @Get('health') health() {}
  @Post('files/x') file() {}
}`,
        'apps/b/src/books.controller.ts': `@Controller('books') class Books { @Get() all() {} }`,
      },
      rows: [
        'in 3: REST GET /api/people, Users.all',
        'in 3: REST GET /api/users, Users.all',
        'in 7: REST GET /health, Other.health',
        'in 8: REST POST /files/x, Other.file',
        'in 1: REST GET /books, Books.all',
      ],
    },
    {
      title: 'versions in the path',
      files: {
        'src/main.ts': `app.setGlobalPrefix('api')
app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' })`,
        'src/a.controller.ts': `@Controller({ path: 'a', version: ['2', '3'] })
class A {
  @Get() all() {}
  @Version('4') @Get('x') x() {}
}
@Controller('b') class B { @Get() all() {} }
@Controller({ path: 'c', version: VERSION_NEUTRAL }) class C { @Get() all() {} }`,
      },
      rows: [
        'in 3: REST GET /api/v2/a, A.all',
        'in 3: REST GET /api/v3/a, A.all',
        'in 4: REST GET /api/v4/a/x, A.x',
        'in 6: REST GET /api/v1/b, B.all',
        'in 7: REST GET /api/c, C.all',
      ],
    },
    {
      title: 'messages, gRPC, GraphQL, gateways and queues',
      files: {
        'hero.proto': 'package hero;\nservice HeroesService { rpc FindOne (A) returns (B); }',
        'a.ts': `@Controller() class Math {
  @MessagePattern({ cmd: 'sum' }) sum() {}
  @MessagePattern({ role: 'item', cmd: 'create' }) create() {}
  @GrpcMethod('HeroesService') findOne() {}
  @GrpcStreamMethod('HeroesService', 'FindMany') many() {}
}
@Resolver(() => Cat) class Cats {
  @Query(() => [Cat], { name: 'cats' }) all() {}
  @Query('cat') one() {}
  @Mutation((returns) => Cat) add() {}
  @Subscription({ name: 'added' }) sub() {}
  @ResolveField() owner() {}
}
@WebSocketGateway(80, { namespace: 'chat' }) class Chat {
  @SubscribeMessage('say') say() {}
}
@Processor('audio') class Audio extends WorkerHost {
  async process(job) {}
  helper() {}
}`,
      },
      rows: [
        'in 2: Messaging-Nest sum, Math.sum',
        'in 3: Messaging-Nest { cmd: create, role: item }, Math.create',
        'in 4: gRPC hero.HeroesService/FindOne, Math.findOne',
        'in 5: gRPC hero.HeroesService/FindMany, Math.many',
        'in 8: GraphQL query cats, Cats.all',
        'in 9: GraphQL query cat, Cats.one',
        'in 10: GraphQL mutation add, Cats.add',
        'in 11: GraphQL subscription added, Cats.sub',
        'in 15: WebSocket /chat say, Chat.say',
        'in 18: Messaging-BullMQ audio, Audio.process',
      ],
    },
  ],
  notFound: [
    {
      title: 'a controller that no module lists',
      files: {
        'src/app.module.ts': `import { Users } from './users.controller'
@Module({ controllers: [Users] }) export class AppModule {}`,
        'src/users.controller.ts': '@Controller() export class Users {}',
        'src/orders.consumer.ts': `@Controller() export class OrdersConsumer {
  @EventPattern('order_placed') placed() {}
}`,
      },
    },
    {
      title: 'decorators of other classes and parameters',
      files: {
        'src/main.ts': 'app.enableVersioning({ type: VersioningType.HEADER })',
        'a.ts': `class Plain {
  @Get('x') x() {}
  @Query(() => Cat) q() {}
  @SubscribeMessage('m') m() {}
  process() {}
}
@Controller('c') class C { helper(@Query() q: string) {} }`,
      },
    },
    {
      title: 'commands, queries and events inside of the process',
      files: {
        'a.ts': `import { CommandHandler, EventsHandler, QueryHandler } from '@nestjs/cqrs'
@CommandHandler(KillDragon) class KillDragonHandler { execute(command) { this.bus.publish(new Killed()) } }
@QueryHandler(GetHeroes) class GetHeroesHandler { execute() {} }
@EventsHandler(Killed) class KilledHandler { handle() {} }`,
      },
    },
  ],
}
