import { expect, it } from 'vitest'
import { androidDraft } from './jvm-applications.ts'

const MANIFEST = '<manifest><application android:icon="@mipmap/icon"></application></manifest>'

it.each([
  {
    title: 'an application',
    script: 'plugins { alias(libs.plugins.android.application) }',
    folders: ['app'],
  },
  { title: 'a library', script: 'plugins { alias(libs.plugins.android.library) }', folders: [] },
  { title: 'a library by its id', script: "apply plugin: 'com.android.library'", folders: [] },
])('tells $title by its build', ({ script, folders }) => {
  const files: Readonly<Record<string, string>> = {
    'app/src/main/AndroidManifest.xml': MANIFEST,
    'app/build.gradle': script,
  }
  const found = androidDraft('app/src/main/AndroidManifest.xml', (path) => files[path])
  expect(found.map(({ folder }) => folder)).toEqual(folders)
})

it('takes no manifest without an application, and none of another source set', () => {
  const read = () => '<manifest><application><activity android:name=".A"/></application></manifest>'
  expect(androidDraft('lib/src/main/AndroidManifest.xml', read)).toEqual([])
  expect(androidDraft('app/src/debug/AndroidManifest.xml', () => MANIFEST)).toEqual([])
})
