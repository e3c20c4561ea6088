import { expect, it } from 'vitest'
import { buildFiles, type Snippet } from '../../../test/support/project-rows.ts'
import { readWorkspaces } from './workspaces.ts'

/** `path name version`, then ` + group:artifact:version@scope` for each library. */
const rowsOf = (files: Snippet['files']): readonly string[] => {
  const manifests = Object.keys(files).filter((path) => path.endsWith('package.json'))
  const { modules, warnings } = readWorkspaces(buildFiles(files), manifests, 'folder')
  return [
    ...modules.map((one) =>
      [
        `${one.path || '.'} ${one.name} ${one.version ?? '?'}`,
        ...one.dependencies.map(
          ({ groupId, artifactId, version, scope }) =>
            `+ ${groupId}:${artifactId}:${version ?? '?'}@${scope}`,
        ),
      ].join(' '),
    ),
    ...warnings.map(({ code, file }) => `${code} ${file}`),
  ]
}

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'reads a package with its libraries, their scope as group',
    files: {
      'package.json': `{ "name": "shop", "version": "1.0.0",
"dependencies": { "@nestjs/core": "^10", "left-pad": "1" },
"peerDependencies": { "react": "18" }, "devDependencies": { "vitest": "2" } }`,
    },
    rows: [
      '. shop 1.0.0 + @nestjs:core:^10@compile + :left-pad:1@compile + :react:18@provided + :vitest:2@test',
    ],
  },
  {
    title: 'reads the packages that npm or yarn workspaces select',
    files: {
      'package.json': '{ "workspaces": ["packages/*", "!packages/old"] }',
      'packages/a/package.json': '{ "name": "@shop/a" }',
      'packages/old/package.json': '{}',
      'other/package.json': '{}',
    },
    rows: ['. folder ?', 'packages/a @shop/a ?'],
  },
  {
    title: 'reads the object form and pnpm-workspace.yaml',
    files: {
      'package.json': '{ "workspaces": { "packages": ["apps/*"] } }',
      'pnpm-workspace.yaml': 'packages:\n  - "libs/**"\n',
      'apps/web/package.json': '{}',
      'libs/deep/core/package.json': '{}',
    },
    rows: ['. folder ?', 'apps/web web ?', 'libs/deep/core core ?'],
  },
  {
    title: 'warns of a broken package.json and reads the others',
    files: {
      'package.json': '{ "workspaces": ["a", "b"] }',
      'a/package.json': '[]',
      'b/package.json': '{ "name": "b" }',
    },
    rows: ['. folder ?', 'a a ?', 'b b ?', 'package_invalid a/package.json'],
  },
  {
    title: 'warns of a workspace outside of the project and of broken YAML',
    files: { 'package.json': '{ "workspaces": ["../other"] }', 'pnpm-workspace.yaml': 'packages: [' },
    rows: ['. folder ?', 'yaml_invalid pnpm-workspace.yaml', 'module_outside package.json'],
  },
  {
    title: 'selects no package without workspaces',
    files: { 'package.json': '{}', 'packages/a/package.json': '{}' },
    rows: ['. folder ?'],
  },
]

it.each(SNIPPETS)('$title', ({ files, rows }) => {
  expect(rowsOf(files)).toEqual(rows)
})
