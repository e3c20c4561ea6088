import { expect, it } from 'vitest'
import { readProto } from './proto.ts'

const SNIPPETS = [
  {
    title: 'reads services and their methods under their package',
    text: 'syntax = "proto3";\npackage demo.v1;\nservice Greeter {\n  rpc Hi (A) returns (B);\n  rpc Bye (A) returns (stream B) {}\n}',
    rows: ['demo.v1.Greeter: Hi, Bye'],
  },
  {
    title: 'needs no package',
    text: 'service Greeter { rpc Hi (A) returns (B); }',
    rows: ['Greeter: Hi'],
  },
  {
    title: 'reads several services, methods with options included',
    text: 'service A { rpc X (M) returns (M) { option (http) = { get: "/x" }; } rpc Y (M) returns (M); } service B {}',
    rows: ['A: X, Y', 'B: '],
  },
  {
    title: 'passes over comments and strings',
    text: '// service No { rpc X (A) returns (B); }\n/* service Neither { } */\noption x = "service Nor { }";\nservice Yes {}',
    rows: ['Yes: '],
  },
  { title: 'finds nothing in messages', text: 'message service { string rpc = 1; }', rows: [] },
  { title: 'finds nothing in an empty or broken file', text: 'service Broken', rows: [] },
] as const

it('reads what a gateway serves', () => {
  const [service] = readProto(`service Shelves {
  rpc Get (A) returns (B) { option (google.api.http) = { get: "/v1/{name=shelves/*/books/*}" additional_bindings { post: "/v1/get" body: "*" } }; }
  rpc List (A) returns (B) { option (google.api.http).get = "/v1/shelves"; option (other) = { put: "/no" }; }
}`)
  expect(service?.routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/shelves/{name}/books/{name}',
    'POST /v1/get',
    'GET /v1/shelves',
  ])
})

it.each(SNIPPETS)('$title', ({ text, rows }) => {
  expect(readProto(text).map(({ fullName, methods }) => `${fullName}: ${methods.join(', ')}`)).toEqual(rows)
})
