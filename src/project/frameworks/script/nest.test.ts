import { expect, it } from 'vitest'
import { inboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
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
      '3: REST GET /api/people, Users.all',
      '3: REST GET /api/users, Users.all',
      '7: REST GET /health, Other.health',
      '8: REST POST /files/x, Other.file',
      '1: REST GET /books, Books.all',
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
      '3: REST GET /api/v2/a, A.all',
      '3: REST GET /api/v3/a, A.all',
      '4: REST GET /api/v4/a/x, A.x',
      '6: REST GET /api/v1/b, B.all',
      '7: REST GET /api/c, C.all',
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
      '2: Messaging-Nest sum, Math.sum',
      '3: Messaging-Nest { cmd: create, role: item }, Math.create',
      '4: gRPC hero.HeroesService/FindOne, Math.findOne',
      '5: gRPC hero.HeroesService/FindMany, Math.many',
      '8: GraphQL query cats, Cats.all',
      '9: GraphQL query cat, Cats.one',
      '10: GraphQL mutation add, Cats.add',
      '11: GraphQL subscription added, Cats.sub',
      '15: WebSocket /chat say, Chat.say',
      '18: Messaging-BullMQ audio, Audio.process',
    ],
  },
  {
    title: 'nothing for decorators of other classes and parameters',
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
    rows: [],
  },
]

it.each(SNIPPETS)('Nest: $title', async ({ files, rows }) => {
  expect(await inboundRows(files)).toEqual(rows)
})
