import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openJail } from '../platform/jail.ts'
import { holdRoot } from '../platform/jail-ground.ts'
import { parseText } from '../platform/syntax.ts'
import type { Desk } from './desk.ts'
import { discoverProject } from './discover.ts'
import { readPom } from './maven.ts'
import { textRules } from './rules.ts'
import { describeStructure } from './structure.ts'
import { readXml } from './xml.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const lay = (files: Readonly<Record<string, string>>): Desk => {
  const root = mkdtempSync(join(tmpdir(), 'warrant-discover-'))
  folders.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const jail = openJail(holdRoot(root))
  return {
    jail,
    rules: textRules([]),
    watch: () => {},
    now: () => 0,
    parse: parseText,
    fileBytes: 10_485_760,
  }
}

const pom = (inside: string): string =>
  `<?xml version="1.0"?>\n<!-- <artifactId>ghost</artifactId> -->\n<project xmlns="http://maven.apache.org/POM/4.0.0">${inside}</project>`

const SHOP = {
  'pom.xml': pom(`<groupId>com.shop</groupId><artifactId>shop</artifactId><version>\${revision}</version>
    <packaging>pom</packaging><properties><revision>1.2</revision></properties>
    <modules><module>web</module><module>../outside</module><module>core/pom.xml</module><module>gone</module></modules>
    <profiles><profile><modules><module>extra</module></modules></profile></profiles>`),
  'core/pom.xml':
    pom(`<parent><groupId>com.shop</groupId><artifactId>shop</artifactId><version>1.2</version></parent>
    <artifactId>core</artifactId><modules><module>deep</module><module>..</module></modules>
    <dependencies><dependency><groupId>com.shop.lib</groupId><artifactId>x</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency></dependencies>`),
  'core/deep/pom.xml': pom(
    '<parent><groupId>com.shop</groupId><version>1.2</version></parent><artifactId>deep</artifactId>',
  ),
  'core/src/main/java/com/shop/A.java': '',
  'core/src/main/java/com/shop/B.java': '',
  'core/src/main/java/com/shop/package-info.java': '',
  'core/src/main/java/com/shop/api/C.java': '',
  'core/src/main/java/Top.java': '',
  'core/src/main/resources/application.yml': 'a: 1',
  'core/target/classes/X.java': '',
  'web/pom.xml': pom('<artifactId>web</artifactId><packaging>war</packaging>'),
  'extra/pom.xml':
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><project><artifactId>&e;</artifactId></project>',
}

describe('discovery', () => {
  it('reads a Maven project of several levels', () => {
    const found = discoverProject(lay(SHOP), { path: '.' })
    expect(found.kind).toBe('maven')
    expect(found.modules.map(({ name, path, parent }) => [name, path, parent])).toEqual([
      ['shop', '.', undefined],
      ['core', 'core', 'shop'],
      ['deep', 'core/deep', 'core'],
      ['extra', 'extra', 'shop'],
      ['web', 'web', 'shop'],
    ])
    expect(found.modules[1]?.maven).toMatchObject({ groupId: 'com.shop', version: '1.2', packaging: 'jar' })
    expect(found.modules[0]?.maven?.version).toBe('1.2')
    expect(found.modules[1]?.packages).toEqual([
      { name: '', files: ['Top.java'], classes: 1 },
      { name: 'com.shop', files: ['A.java', 'B.java', 'package-info.java'], classes: 2 },
      { name: 'com.shop.api', files: ['C.java'], classes: 1 },
    ])
    expect(found.dependencies).toEqual([
      {
        module: 'core',
        groupId: 'com.shop.lib',
        artifactId: 'x',
        version: '1.2',
        scope: 'compile',
        inHouse: true,
      },
      { module: 'core', groupId: 'junit', artifactId: 'junit', scope: 'test', inHouse: false },
    ])
    expect(found.statistics).toEqual({
      javaFiles: 5,
      packages: 3,
      configFiles: 1,
      largestPackage: 'com.shop',
    })
    expect(found.warnings).toEqual([
      'module ../outside of shop lies outside the project: skipped',
      'extra: the pom was not read, a document type is not read',
      'module gone of shop has no pom.xml: skipped',
    ])
  })

  it('draws the same counts as it tells', () => {
    const { text, structure } = describeStructure(lay(SHOP), { path: '.', bytes: 50_000 })
    expect(text.split('\n')[0]).toBe('shop (com.shop:shop:1.2)')
    expect(text).toContain(
      '├── module: core (com.shop:core:1.2)\n│   ├── (default package)\n│   │   └── Top.java',
    )
    expect(text).not.toContain('target')
    expect(text.split('\n').at(-1)).toBe('Total: 5 Java files | 3 packages | 1 config files')
    expect(structure.root.maven).toMatchObject({ missing: false, artifactId: 'shop' })
    const short = describeStructure(lay(SHOP), { path: '.', bytes: 2_000 })
    expect(short.structure).toMatchObject({ cut: expect.stringMatching(/counted|one module/) })
  })

  it('takes a project without a pom as it is', () => {
    const desk = lay({ 'src/main/java/p/A.java': '', 'README.md': '' })
    expect(discoverProject(desk, { path: '.' })).toMatchObject({
      kind: 'plain',
      modules: [{ path: '.', packages: [{ name: 'p', files: ['A.java'] }] }],
    })
    expect(describeStructure(desk, { path: '.', bytes: 9_000 }).structure.root.maven).toEqual({
      missing: true,
    })
  })

  it.each([
    [
      { 'settings.gradle': "include ':app', ':lib:core' // ':no'\n/* include ':never' */" },
      ['.', 'app', 'lib/core'],
    ],
    [{ 'settings.gradle.kts': 'include("app")\ninclude("lib:core")' }, ['.', 'app', 'lib/core']],
    [{ 'package.json': '{"workspaces":["app","lib/*","!lib/other"]}' }, ['.', 'app', 'lib/core']],
    [{ 'package.json': '{"workspaces":{"packages":["{app,lib/core}"]}}' }, ['.', 'app', 'lib/core']],
    [
      {
        'package.json': '{}',
        'pnpm-workspace.yaml': "packages:\n  - 'app'\n  - lib/core # c\nother:\n  - lib/other\n",
      },
      ['.', 'app', 'lib/core'],
    ],
  ])('finds the modules that %j names', (files, paths) => {
    const desk = lay({
      ...(files as Record<string, string>),
      'app/x': '',
      'lib/core/x': '',
      'lib/other/x': '',
    })
    expect(discoverProject(desk, { path: '.' }).modules.map(({ path }) => path)).toEqual(paths)
  })
})

describe('XML', () => {
  it('is read with comments, CDATA, namespaces and entities', () => {
    const root = readXml('<a:x k="a>b"><b>1 &lt; &#50;</b><!-- <c/> --><c><![CDATA[<&>]]></c><d/></a:x>')
    expect(root.name).toBe('x')
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([
      ['b', '1 < 2'],
      ['c', '<&>'],
      ['d', ''],
    ])
  })

  it.each(['', '<a>', '<a></b>', '<a', '</a>', '<!DOCTYPE a><a/>', '<a>'.repeat(300), '<a b="></a>'])(
    'that is broken or dangerous is refused: %j',
    (source) => {
      expect(() => readXml(source)).toThrow()
    },
  )

  it('does not let properties grow without end', () => {
    const twice = (name: string) => `\${${name}}`.repeat(3)
    const properties = `<a>${twice('b')}</a><b>${twice('a')}</b>`
    const bomb = `<project><properties>${properties}</properties><version>${twice('a')}</version></project>`
    expect((readPom(bomb).version ?? '').length).toBeLessThanOrEqual(500)
  })
})
