import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../source/memory-files.fake.ts'
import { WALK_LIMITS } from '../source/source-files.ts'
import { discover } from './discovery.ts'

const AT = '2026-03-04T05:06:07Z'

const look = (texts: Record<string, string | undefined>, orgPattern?: string) => {
  const files = memoryFiles(texts)
  return discover(files, files.walk(WALK_LIMITS), { at: AT, checkDeadline: () => {}, orgPattern })
}

const pom = (body: string): string =>
  `<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">${body}</project>`
const java = (name: string): string => `package ${name};\nclass X {}\n`
const codes = (found: { warnings: readonly { code: string }[] }) => found.warnings.map(({ code }) => code)

describe('a Maven project', () => {
  it('has coordinates, and packages in order', () => {
    const found = look({
      'pom.xml': pom(
        '<groupId>shop</groupId><artifactId>store</artifactId><version>1.0</version><description>A &amp; B</description>',
      ),
      'src/main/java/shop/web/Z.java': java('shop.web'),
      'src/main/java/shop/web/A.java': java('shop.web'),
      'src/main/java/shop/core/B.java': java('shop.core'),
      'src/main/java/shop/core/package-info.java': 'package shop.core;',
      'src/test/java/shop/core/BTest.java': java('shop.core'),
      'src/main/resources/application.yml': 'a: 1',
      'target/classes/X.java': java('x'),
      'node_modules/a/B.java': java('x'),
      '.git/config': '',
      'notes.log': '',
    })
    expect(found.root.maven).toEqual({
      groupId: 'shop',
      artifactId: 'store',
      version: '1.0',
      modules: [],
      missing: false,
    })
    expect(found.root.modules[0]?.packages).toEqual([
      { name: 'shop.core', files: ['src/main/java/shop/core/B.java'] },
      { name: 'shop.web', files: ['src/main/java/shop/web/A.java', 'src/main/java/shop/web/Z.java'] },
    ])
    expect(found.project).toMatchObject({
      name: 'store',
      packaging: 'jar',
      description: 'A & B',
      scanTimestamp: AT,
    })
    expect(found.project.statistics).toEqual({
      totalClasses: 3,
      totalPackages: 2,
      javaFilesCount: 3,
      kotlinFilesCount: 0,
      configFilesCount: 2,
      largestPackage: 'shop.web',
    })
    expect(found.project.packages).toMatchObject({
      shop: { classCount: 0, totalClassCount: 3, subPackages: { web: { classCount: 2 } } },
    })
    expect(JSON.stringify(found)).not.toMatch(/target|node_modules|\.git|notes\.log/)
    expect(found.tree).toBe(
      [
        'store (shop:store:1.0)',
        '└── module: store',
        '    ├── shop.core',
        '    │   └── B.java',
        '    └── shop.web',
        '        ├── A.java',
        '        └── Z.java',
        '',
        'Total: 3 Java files | 2 packages | 2 config files',
      ].join('\n'),
    )
  })

  it.each(['\u2028', '\u009b', '\u202e', '\n'])(
    'draws no name as it is that would forge or paint: %j',
    (char) => {
      const { tree } = look({
        'pom.xml': pom('<artifactId>a</artifactId>'),
        [`src/main/java/A${char}.java`]: 'x',
      })
      expect(tree).toMatch(/└── "A\\(u[0-9a-f]{4}|n)\.java"/)
      expect(tree.split('\n')).toHaveLength(6)
    },
  )

  it.each(['&toString;', '&valueOf;', '&other;'])('is left out when it asks for the entity %s', (entity) => {
    expect(codes(look({ 'pom.xml': pom(`<artifactId>${entity}</artifactId>`) }))).toEqual(['pom_invalid'])
  })

  it('inherits group and version, and is never taken for its parent', () => {
    const found = look({
      'pom.xml': pom(
        '<parent><groupId>org.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3.2.1</version></parent><artifactId>app</artifactId>' +
          '<properties><java.version>21</java.version></properties>',
      ),
    })
    expect(found.project).toMatchObject({ name: 'app', version: '3.2.1', java: '21', springBoot: '3.2.1' })
    expect(found.root.maven).toMatchObject({ groupId: 'org.boot', artifactId: 'app' })
  })

  it('fills in properties, also through a parent, and never without end', () => {
    const found = look({
      'pom.xml': pom(
        '<groupId>g</groupId><artifactId>top</artifactId><version>${revision}</version><properties><revision>4.2</revision><a>${b}</a><b>${a}</b></properties><modules><module>x</module></modules>',
      ),
      'x/pom.xml': pom(
        '<parent><groupId>g</groupId><artifactId>top</artifactId><version>${revision}</version></parent><artifactId>x</artifactId>' +
          '<dependencies><dependency><groupId>${project.groupId}</groupId><artifactId>y</artifactId><version>${project.version}</version></dependency><dependency><groupId>q</groupId><artifactId>loop</artifactId><version>${a}</version><scope>test</scope></dependency></dependencies>',
      ),
    })
    expect(found.root.modules.map(({ path, version }) => [path, version])).toEqual([
      ['.', '4.2'],
      ['x', '4.2'],
    ])
    expect(found.dependencies).toEqual([
      { groupId: 'g', artifactId: 'y', version: '4.2', scope: 'compile', module: 'x', inHouse: true },
      {
        groupId: 'q',
        artifactId: 'loop',
        version: expect.stringContaining('$'),
        scope: 'test',
        module: 'x',
        inHouse: false,
      },
    ])
  })

  it('finds modules on two levels, in profiles and as files, and warns of the others', () => {
    const found = look({
      'pom.xml': pom(
        '<groupId>g</groupId><artifactId>top</artifactId><version>1</version><packaging>pom</packaging>' +
          '<modules><module>b</module><!-- <module>ghost</module> --><module>a</module><module>gone</module><module>../sibling</module><module><![CDATA[odd/other.xml]]></module></modules>' +
          '<profiles><profile><modules><module>extra</module></modules></profile></profiles>',
      ),
      'a/pom.xml': pom(
        '<artifactId>a</artifactId><modules><module>deep</module><module>..</module></modules>',
      ),
      'a/deep/pom.xml': pom('<artifactId>deep</artifactId>'),
      'b/pom.xml': pom('<artifactId>b</artifactId>'),
      'odd/other.xml': pom('<artifactId>odd</artifactId>'),
      'extra/pom.xml': pom('<artifactId>extra</artifactId>'),
      'b/src/main/java/p/X.java': java('p'),
    })
    expect(found.project.modules).toEqual(['.', 'a', 'a/deep', 'b', 'extra', 'odd'])
    expect(found.root.modules.find(({ path }) => path === 'b')?.packages[0]?.name).toBe('p')
    expect(codes(found).sort()).toEqual(['module_cycle', 'module_missing', 'module_outside'])
  })

  it('refuses a document type and expands nothing', () => {
    const bomb =
      '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><project><artifactId>&b;</artifactId></project>'
    const found = look({ 'pom.xml': bomb, 'src/main/java/A.java': 'class A {}' })
    expect(found.root.maven.missing).toBe(true)
    expect(codes(found)).toEqual(['pom_invalid'])
    expect(JSON.stringify(found)).not.toContain('aaaa')
    expect(found.root.modules[0]?.packages).toEqual([{ name: '', files: ['src/main/java/A.java'] }])
  })

  it.each([
    '<project>',
    '<project></projec>',
    '<a/>',
    '<project/><project/>',
    '<project>&nbsp;</project>',
    '',
  ])('calls %j invalid and carries on', (text) => {
    expect(codes(look({ 'pom.xml': text }))).toEqual(['pom_invalid'])
  })
})

describe('other builds', () => {
  it('are marked as not Maven', () => {
    const found = look({ 'a/X.java': java('q.r') })
    expect(found.root.maven).toEqual({ missing: true })
    expect(found.project.tool).toBe('plain')
    expect(found.root.modules[0]?.packages).toEqual([{ name: 'q.r', files: ['a/X.java'] }])
  })

  it('are read from Gradle scripts of both languages', () => {
    const found = look({
      'settings.gradle.kts':
        'rootProject.name = "shop"\n// include("ghost")\ninclude(":api", "core:db")\ninclude("../far")\n',
      'build.gradle.kts':
        'plugins { id("org.springframework.boot") version "3.3.0" }\nallprojects { group = "org.shop"\n version = "2.0" }\njava { toolchain { languageVersion = JavaLanguageVersion.of(21) } }',
      'api/build.gradle':
        "dependencies {\n implementation 'org.shop.base:util:1.1'\n testImplementation group: 'junit', name: 'junit', version: '4.13'\n}",
      'core/db/src/main/kotlin/org/shop/Db.kt': 'package org.shop\nclass Db',
    })
    expect(found.project).toMatchObject({
      name: 'shop',
      version: '2.0',
      tool: 'gradle',
      java: '21',
      springBoot: '3.3.0',
    })
    expect(found.project.modules).toEqual(['.', 'api', 'core/db'])
    expect(found.dependencies).toEqual([
      {
        groupId: 'junit',
        artifactId: 'junit',
        version: '4.13',
        scope: 'test',
        module: 'api',
        inHouse: false,
      },
      {
        groupId: 'org.shop.base',
        artifactId: 'util',
        version: '1.1',
        scope: 'compile',
        module: 'api',
        inHouse: true,
      },
    ])
    expect(codes(found)).toEqual(['module_outside'])
  })

  it('are read from npm and pnpm workspaces', () => {
    const found = look(
      {
        'package.json':
          '{"name":"mono","version":"1.0.0","workspaces":["packages/*","!packages/old","../x"]}',
        'pnpm-workspace.yaml': 'packages:\n  - "tools/**"\n',
        'packages/a/package.json': '{"name":"@mono/a","dependencies":{"express":"4"}}',
        'packages/old/package.json': '{}',
        'tools/x/y/package.json': 'not json',
        'elsewhere/package.json': '{}',
      },
      '@mono*',
    )
    expect(found.project.modules).toEqual(['.', 'packages/a', 'tools/x/y'])
    expect(found.dependencies).toMatchObject([
      { artifactId: 'express', module: 'packages/a', inHouse: false },
    ])
    expect(codes(found)).toEqual(['module_outside', 'package_invalid'])
  })
})

describe('what the files say', () => {
  it('is compared with where they lie', () => {
    const found = look({
      'src/main/java/a/X.java': '/* package z; */\n@Anno(1)\npackage b;\nclass X {}',
      'src/main/java/a/Y.java': undefined,
    })
    expect(found.warnings.map(({ code, file }) => [code, file])).toEqual([
      ['package_mismatch', 'src/main/java/a/X.java'],
      ['file_unreadable', 'src/main/java/a/Y.java'],
    ])
  })

  it('does not depend on the order in which they were found', () => {
    const texts = Object.fromEntries(
      ['c', 'a', 'b'].map((name) => [`src/main/java/${name}/X.java`, java(name)]),
    )
    const backwards = Object.fromEntries(Object.entries(texts).reverse())
    expect(look(texts)).toEqual(look(backwards))
  })
})
