import { expect, it } from 'vitest'
import { libraryFolders } from './library-modules.ts'

const libraries = (
  applications: readonly string[],
  files: Readonly<Record<string, string>>,
  dependencies: readonly { readonly module: string; readonly artifactId: string }[] = [],
) =>
  Object.fromEntries(
    libraryFolders(applications, {
      paths: Object.keys(files),
      read: (path) => files[path],
      dependencies,
      packages: new Map(),
    }),
  )

it('finds the modules that an Android application uses, directly and through others', () => {
  const files = {
    'settings.gradle.kts': '',
    'app/build.gradle.kts': 'dependencies {\n  implementation(projects.core.dataStore)\n}',
    'catalog/build.gradle.kts': 'dependencies {\n  implementation(project(":core:ui"))\n}',
    'core/data-store/build.gradle.kts': "dependencies {\n  api(project(path = ':core:model'))\n}",
    'core/model/build.gradle.kts': 'dependencies {\n  testImplementation(projects.core.ui)\n}',
    'core/ui/build.gradle.kts': '',
  }
  expect(libraries(['app', 'catalog'], files)).toEqual({
    app: ['core/data-store', 'core/model'],
    catalog: ['core/ui'],
  })
})

it('gives all modules of a build to its only application, and none of another build', () => {
  const files = {
    'android/settings.gradle': '',
    'android/build.gradle': '',
    'android/app/build.gradle': 'addAllModules()',
    'android/net/build.gradle': '',
    'server/settings.gradle': '',
    'server/api/build.gradle': '',
  }
  expect(libraries(['android/app'], files)).toEqual({ 'android/app': ['android/net'] })
})

it('finds modules of Maven by their artifacts, and ends where modules use each other', () => {
  const files = { 'pom.xml': '', 'web/pom.xml': '', 'common/pom.xml': '', 'model/pom.xml': '' }
  const dependencies = [
    { module: 'web', artifactId: 'common' },
    { module: 'common', artifactId: 'model' },
    { module: 'model', artifactId: 'common' },
  ]
  expect(libraries(['web'], files, dependencies)).toEqual({ web: ['common', 'model'] })
})
