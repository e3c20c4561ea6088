import { expect, it } from 'vitest'
import { buildFiles, moduleRows, type Snippet } from '../../../test/support/project-rows.ts'
import { readGradle } from './gradle.ts'

const rowsOf = (files: Snippet['files']): readonly string[] =>
  moduleRows(readGradle(buildFiles(files), 'folder'))

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'reads a Kotlin script',
    files: {
      'settings.gradle.kts': 'rootProject.name = "shop"',
      'build.gradle.kts': `plugins { id("org.springframework.boot") version "3.2.1" }
group = "com.shop"
version = "1.0"
java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }
dependencies {
  implementation("org.lib:core:2.5")
  testImplementation("org.junit:junit")
}`,
    },
    rows: ['. com.shop:shop:1.0 java=21 boot=3.2.1 + org.lib:core:2.5@compile + org.junit:junit:?@test'],
  },
  {
    title: 'reads a Groovy script and takes the folder as name',
    files: {
      'build.gradle': `group 'com.shop'
sourceCompatibility = '17'
dependencies {
  compileOnly group: 'org.lib', name: 'core', version: '2.5'
  runtimeOnly 'org.db:driver:1'
}`,
    },
    rows: ['. com.shop:folder:? java=17 + org.lib:core:2.5@provided + org.db:driver:1@runtime'],
  },
  {
    title: 'gives included modules the facts of the root',
    files: {
      'settings.gradle': `include 'orders', ':libs:core'
include(
  'web'
)
project(':web').projectDir = file('frontend/web')`,
      'build.gradle': "group = 'com.shop'\nversion = '1'",
      'orders/build.gradle': "version = '2'",
    },
    rows: [
      '. com.shop:folder:1',
      'libs/core com.shop:core:1',
      'orders com.shop:orders:2',
      'frontend/web com.shop:web:1',
    ],
  },
  {
    title: 'fills the names of versions, and shows none that it does not know',
    files: {
      'settings.gradle': "include 'orders'",
      'gradle.properties': '# bootVersion=1\nbootVersion = 3.2\n',
      'build.gradle': "ext {\n  kafka = '3.6'\n  set('cloud', '2023')\n}",
      'orders/build.gradle': `def own = '7'
dependencies {
  implementation "a:boot:$bootVersion"
  implementation "a:kafka:\${rootProject.ext.kafka}"
  implementation "a:cloud:\${cloud}.1"
  implementation group: 'a', name: 'own', version: "$own"
  implementation "a:other:$other"
}`,
    },
    rows: [
      '. ?:folder:?',
      'orders ?:orders:? + a:boot:3.2@compile + a:kafka:3.6@compile + a:cloud:2023.1@compile + a:own:7@compile + a:other:?@compile',
    ],
  },
  {
    title: 'reads no comment',
    files: {
      'build.gradle': `// group = 'no'
/* version = '9' */
dependencies { // implementation 'a:b:1'
  implementation platform('org.bom:bom:1')
}`,
    },
    rows: ['. ?:folder:? + org.bom:bom:1@compile'],
  },
  {
    title: 'warns of a module outside of the project',
    files: { 'settings.gradle': "include 'a'\nproject(':a').projectDir = new File('../a')" },
    rows: ['. ?:folder:?', 'module_outside settings.gradle'],
  },
  {
    title: 'reads no library from a project reference or a catalog alias',
    files: { 'build.gradle': "dependencies { implementation project(':core')\nimplementation libs.core }" },
    rows: ['. ?:folder:?'],
  },
]

it.each(SNIPPETS)('$title', ({ files, rows }) => {
  expect(rowsOf(files)).toEqual(rows)
})
