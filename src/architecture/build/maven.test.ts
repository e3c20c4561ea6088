import { expect, it } from 'vitest'
import { buildFiles, moduleRows, type Snippet } from '../../../test/support/project-rows.ts'
import { readMaven } from './maven.ts'

const pom = (body: string): string => `<project>${body}</project>`
const PARENT = pom(`<groupId>shop</groupId><artifactId>root</artifactId><version>1</version>
<properties><lib.version>2.5</lib.version><java.version>17</java.version></properties>
<dependencyManagement><dependencies>
  <dependency><groupId>org.lib</groupId><artifactId>managed</artifactId><version>\${lib.version}</version></dependency>
</dependencies></dependencyManagement>
<modules><module>orders</module></modules>`)

const rowsOf = (files: Snippet['files']): readonly string[] =>
  moduleRows(readMaven(buildFiles(files), 'pom.xml'))

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'inherits group, version, properties and managed versions from the parent',
    files: {
      'pom.xml': PARENT,
      'orders/pom.xml':
        pom(`<parent><groupId>shop</groupId><artifactId>root</artifactId><version>1</version></parent>
<artifactId>orders</artifactId>
<dependencies><dependency><groupId>org.lib</groupId><artifactId>managed</artifactId></dependency></dependencies>`),
    },
    rows: ['. shop:root:1 java=17', 'orders shop:orders:1 java=17 + org.lib:managed:2.5@compile'],
  },
  {
    title: 'reads Java level, Spring Boot version and scopes',
    files: {
      'pom.xml': pom(`<parent><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-starter-parent</artifactId><version>3.2.1</version><relativePath/></parent>
<groupId>shop</groupId><artifactId>app</artifactId><version>\${revision}</version>
<properties><maven.compiler.release>21</maven.compiler.release><revision>7</revision></properties>
<dependencies>
<dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency>
<dependency><groupId>\${project.groupId}</groupId><artifactId>lib</artifactId><version>\${project.version}</version></dependency>
</dependencies>`),
    },
    rows: ['. shop:app:7 java=21 boot=3.2.1 + org.junit:junit:?@test + shop:lib:7@compile'],
  },
  {
    title: 'reads modules of profiles, and warns of those that are missing or outside',
    files: {
      'pom.xml': pom(`<artifactId>root</artifactId>
<modules><module>gone</module><module>../other</module></modules>
<profiles><profile><modules><module>extra</module></modules></profile></profiles>`),
      'extra/pom.xml': pom('<artifactId>extra</artifactId>'),
    },
    rows: ['. ?:root:?', 'extra ?:extra:?', 'module_missing pom.xml', 'module_outside pom.xml'],
  },
  {
    title: 'ends at modules and parents that name one another',
    files: {
      'pom.xml': pom(
        '<parent><artifactId>a</artifactId><relativePath>a</relativePath></parent><artifactId>root</artifactId><modules><module>a</module></modules>',
      ),
      'a/pom.xml': pom(
        '<parent><artifactId>root</artifactId></parent><artifactId>a</artifactId><modules><module>..</module></modules>',
      ),
    },
    rows: ['. ?:root:?', 'a ?:a:?', 'module_cycle a/pom.xml'],
  },
  {
    title: 'leaves a property that names itself as it is',
    files: {
      'pom.xml': pom(
        '<artifactId>root</artifactId><version>${v}</version><properties><v>${v}</v></properties>',
      ),
    },
    rows: ['. ?:root:${v}'],
  },
  {
    title: 'ignores a parent of another name at the place of the parent',
    files: {
      'pom.xml': pom(
        '<groupId>shop</groupId><artifactId>root</artifactId><modules><module>a</module></modules>',
      ),
      'a/pom.xml': pom('<parent><artifactId>other</artifactId></parent><artifactId>a</artifactId>'),
    },
    rows: ['. shop:root:?', 'a ?:a:?'],
  },
  {
    title: 'reads no document type and no file that is not a pom',
    files: { 'pom.xml': '<!DOCTYPE p [<!ENTITY x "y">]><project/>' },
    rows: ['pom_invalid pom.xml'],
  },
  {
    title: 'reads no other root element',
    files: { 'pom.xml': '<settings/>' },
    rows: ['pom_invalid pom.xml'],
  },
]

it.each(SNIPPETS)('$title', ({ files, rows }) => {
  expect(rowsOf(files)).toEqual(rows)
})
