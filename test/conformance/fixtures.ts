import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Toolset } from '../../src/kernel/catalog.ts'
import type { ChangeEmitter } from '../../src/kernel/change-events.ts'
import { defineFaults } from '../../src/kernel/fault.ts'
import { definePrompt, type PromptMessage } from '../../src/kernel/prompt.ts'
import { defineResource } from '../../src/kernel/resource.ts'
import { type Content, defineTool, NoInput, NoOutput, type Tool } from '../../src/kernel/tool.ts'

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
/** One silent sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=='

// Progress that comes faster than every 100 ms is thinned out, and the suite counts what arrives.
const STEP_MS = 110

const text = (words: string): Content => ({ type: 'text', text: words })
const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, words: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
})

const testFaults = defineFaults('test', {
  intended: { kind: 'refused', fix: 'Nothing to repair: it always fails.' },
})

const contentTool = (
  name: string,
  content: readonly Content[],
  run: Tool['run'] = () => undefined,
  effect: Tool['effect'] = 'read',
): Tool =>
  defineTool({
    name,
    title: name,
    description: `Conformance fixture ${name}.`,
    effect,
    input: NoInput,
    output: NoOutput,
    run: (_, call) => run({} as never, call) as undefined,
    render: () => content,
  })

const tools = (changes: ChangeEmitter): readonly Tool[] => [
  contentTool('test_simple_text', [text('This is a simple text response for testing.')]),
  contentTool('test_image_content', [image]),
  contentTool('test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  contentTool('test_embedded_resource', [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]),
  contentTool('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]),
  contentTool('test_error_handling', [], () => {
    throw testFaults.intended('This tool intentionally returns an error for testing')
  }),
  contentTool('test_tool_with_progress', [text('Progress was reported.')], async (_, call) => {
    call.progress(0, 100)
    for (const done of [50, 100]) {
      await sleep(STEP_MS)
      call.progress(done, 100)
    }
  }),
  contentTool(
    'test_trigger_tool_change',
    [text('The tools changed.')],
    () => changes.emit({ kind: 'tools' }),
    'write',
  ),
  contentTool(
    'test_trigger_prompt_change',
    [text('The prompts changed.')],
    () => changes.emit({ kind: 'prompts' }),
    'write',
  ),
]

const resources = [
  defineResource({
    uri: 'test://static-text',
    name: 'static-text',
    title: 'Static text',
    description: 'A text that never changes.',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  }),
  defineResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    title: 'Static bytes',
    description: 'An image that never changes.',
    mimeType: 'image/png',
    read: () => Buffer.from(PNG, 'base64'),
  }),
  defineResource({
    uri: 'test://template/{id}/data',
    name: 'template',
    title: 'Data by id',
    description: 'Says which id it was asked for.',
    mimeType: 'application/json',
    read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    complete: () => ['1', '2', '3'],
  }),
  defineResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    title: 'Watched text',
    description: 'A text one can subscribe to.',
    mimeType: 'text/plain',
    read: () => 'This resource can be watched.',
  }),
]

const says = (content: Content): PromptMessage => ({ role: 'user', content })

const prompts = [
  definePrompt({
    name: 'test_simple_prompt',
    title: 'Simple',
    description: 'A prompt without arguments.',
    args: z.strictObject({}),
    get: () => [says(text('This is a simple prompt for testing.'))],
  }),
  definePrompt({
    name: 'test_prompt_with_arguments',
    title: 'With arguments',
    description: 'A prompt that repeats its arguments.',
    args: z.strictObject({
      arg1: z.string().describe('First test argument'),
      arg2: z.string().describe('Second test argument'),
    }),
    get: ({ arg1, arg2 }) => [says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    complete: (_, prefix) => ['paris', 'park', 'party', 'testing'].filter((word) => word.startsWith(prefix)),
  }),
  definePrompt({
    name: 'test_prompt_with_embedded_resource',
    title: 'With a resource',
    description: 'A prompt that carries a resource.',
    args: z.strictObject({ resourceUri: z.string().describe('Address of the resource to embed') }),
    get: ({ resourceUri }) => [
      says(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      says(text('Please process the embedded resource above.')),
    ],
  }),
  definePrompt({
    name: 'test_prompt_with_image',
    title: 'With an image',
    description: 'A prompt that carries an image.',
    args: z.strictObject({}),
    get: () => [says(image), says(text('Please analyze the image above.'))],
  }),
]

/** What the conformance suite expects of a server and the kernel can do by itself. */
export const fixtureToolset = (changes: ChangeEmitter): Toolset => ({
  name: 'fixtures',
  title: 'Conformance fixtures',
  tools: tools(changes),
  resources,
  prompts,
})
