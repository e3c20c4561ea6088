import type { FrameworkSnippets } from './snippet-corpus.ts'

const language = 'TypeScript, JavaScript'

export const NEST_GRAPHQL: FrameworkSnippets = {
  framework: 'NestJS GraphQL',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'operations named after their methods',
      files: {
        'cats.resolver.ts': `import { Query, Resolver } from '@nestjs/graphql'
@Resolver(() => Cat)
export class Cats {
  @Query(() => [Cat]) cats() {}
}`,
      },
      rows: ['in 4: GraphQL query cats, Cats.cats'],
    },
    {
      title: 'operations with a name of their own',
      files: {
        'a.ts': `@Resolver()
class Authors {
  @Mutation(() => Author, { name: 'addAuthor' }) add() {}
  @Query('author') one() {}
}`,
      },
      rows: ['in 3: GraphQL mutation addAuthor, Authors.add', 'in 4: GraphQL query author, Authors.one'],
    },
    {
      title: 'subscriptions',
      files: { 'a.ts': `@Resolver('Post') class Posts {\n  @Subscription(() => Post) added() {}\n}` },
      rows: ['in 2: GraphQL subscription added, Posts.added'],
    },
  ],
  notFound: [
    {
      title: 'fields, and query parameters of controllers',
      files: {
        'a.ts': `@Resolver() class Fields { @ResolveField() owner() {} }
class Plain { @Query() q() {} }
class Params { all(@Query() q) {} }`,
      },
    },
  ],
}

export const TYPE_GRAPHQL: FrameworkSnippets = {
  framework: 'TypeGraphQL',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'queries',
      files: {
        'recipe.ts': `import { Arg, Query, Resolver } from 'type-graphql'
@Resolver(Recipe)
class RecipeResolver {
  @Query((returns) => Recipe, { nullable: true })
  async recipe(@Arg('id') id: string) {}
}`,
      },
      rows: ['in 5: GraphQL query recipe, RecipeResolver.recipe'],
    },
    {
      title: 'mutations',
      files: {
        'a.ts': `import { Mutation, Resolver } from 'type-graphql'
@Resolver() export class Users { @Mutation(() => User) @Authorized() register() {} }`,
      },
      rows: ['in 2: GraphQL mutation register, Users.register'],
    },
    {
      title: 'subscriptions with topics',
      files: {
        'a.ts': `import { Resolver, Subscription } from 'type-graphql'
@Resolver() class Notes { @Subscription({ topics: 'NOTES' }) noted() {} }`,
      },
      rows: ['in 2: GraphQL subscription noted, Notes.noted'],
    },
  ],
  notFound: [
    {
      title: 'types of fields',
      files: {
        'a.ts': `import { Field, ObjectType } from 'type-graphql'
@ObjectType() class Recipe { @Field() title: string; @Field() average() {} }`,
      },
    },
  ],
}

const SPLIT_MAP = {
  title: 'a map of resolvers from several files',
  files: {
    'resolvers.ts': `import { Mutation } from './mutation'
import { bookQueries } from './books'
export const resolvers = {
  Query: { ...bookQueries, me: () => 1 },
  Mutation,
  Book: { author: () => 1 },
}`,
    'mutation.ts': `export const Mutation = {
  addBook(parent, args) {},
  removeBook: async () => {},
}`,
    'books.ts': `export const bookQueries = { books: listBooks }`,
  },
  rows: [
    'in 1: GraphQL query books, listBooks',
    'in 2: GraphQL mutation addBook, addBook',
    'in 3: GraphQL mutation removeBook, removeBook',
    'in 4: GraphQL query me, me',
  ],
}

export const APOLLO: FrameworkSnippets = {
  framework: 'Apollo Server',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'resolvers given to the server',
      files: {
        'index.js': `const { ApolloServer } = require('@apollo/server')
const server = new ApolloServer({
  typeDefs,
  resolvers: { Query: { hello: () => 'world' }, Subscription: { ticked: { subscribe: () => 1 } } },
})`,
      },
      rows: ['in 2: GraphQL subscription ticked, ticked', 'in 4: GraphQL query hello, hello'],
    },
    SPLIT_MAP,
    {
      title: 'a file that exports a map',
      files: {
        'resolvers/user.js': `module.exports = {
  Query: { user: (_, { id }) => find(id) },
}`,
        'resolvers/post.ts': `export default { Mutation: { publish: () => 1 } }`,
      },
      rows: ['in 1: GraphQL mutation publish, publish', 'in 2: GraphQL query user, user'],
    },
  ],
  notFound: [
    {
      title: 'records with these keys that are no resolvers',
      files: {
        'a.ts': `import { gql } from '@apollo/client'
const types = { Query: { fields: () => 1 } }
client.query({ query: QUERY })`,
      },
    },
  ],
}

export const YOGA: FrameworkSnippets = {
  framework: 'GraphQL Yoga',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'resolvers of a schema',
      files: {
        'server.ts': `import { createSchema, createYoga } from 'graphql-yoga'
const yoga = createYoga({
  schema: createSchema({
    typeDefs,
    resolvers: {
      Query: { greetings: () => 'hi' },
    },
  }),
})`,
      },
      rows: ['in 6: GraphQL query greetings, greetings'],
    },
    { ...SPLIT_MAP, title: 'a map of resolvers, by its name' },
    {
      title: 'a resolver map with a type',
      files: {
        'a.ts': `import type { Resolvers } from './types'
export const postResolvers: Resolvers = { Mutation: { post: async () => 1 } }`,
      },
      rows: ['in 2: GraphQL mutation post, post'],
    },
  ],
  notFound: [
    {
      title: 'a schema without operations',
      files: {
        'a.ts': `import { createSchema } from 'graphql-yoga'\ncreateSchema({ resolvers: { Date: dates } })`,
      },
    },
  ],
}
