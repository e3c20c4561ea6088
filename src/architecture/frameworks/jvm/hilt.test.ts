import { expect, it } from 'vitest'
import { syntaxTrees } from '../../../platform/syntax/syntax-trees.ts'
import { analyse } from '../../architecture.ts'
import { memoryFiles } from '../../source/memory-files.fake.ts'

const FILES = {
  'app/src/main/AndroidManifest.xml': '<manifest><application android:name=".App"></application></manifest>',
  'app/build.gradle.kts': 'plugins { id("com.android.application") }',
  'settings.gradle.kts': '',
  'core/build.gradle.kts': '',
  'app/src/main/java/App.kt': '@HiltAndroidApp\nclass App : Application()\n',
  'app/src/main/java/TopicViewModel.kt': `@HiltViewModel
class TopicViewModel @Inject constructor(
    private val topics: TopicsRepository,
) : ViewModel()
`,
  'core/src/main/java/Topics.kt': `import androidx.room.Dao

interface TopicsRepository

class OfflineTopicsRepository @Inject constructor(
    private val dao: TopicDao,
) : TopicsRepository
`,
  'core/src/main/java/TopicDao.kt': 'import androidx.room.Dao\n\n@Dao\ninterface TopicDao\n',
}

it('draws the injections of Hilt in a library module', async () => {
  const { graph, system } = await analyse(memoryFiles(FILES), syntaxTrees(), {
    at: '',
    checkDeadline: () => {},
  })
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]))
  expect(graph.edges.map(({ from, to }) => `${names.get(from)} -> ${names.get(to)}`)).toEqual([
    'OfflineTopicsRepository -> TopicDao',
    'TopicViewModel -> OfflineTopicsRepository',
  ])
  expect(graph.nodes.find(({ name }) => name === 'App')?.kind).toBe('APP')
  expect(system.nodes.map(({ id }) => id)).toEqual(['service:app'])
})

it('gives no role to a class whose constructor nothing marks', async () => {
  const { graph } = await analyse(
    memoryFiles({ 'A.kt': 'class A(private val dao: B)\n', 'B.kt': 'class B\n' }),
    syntaxTrees(),
    { at: '', checkDeadline: () => {} },
  )
  expect(graph.nodes).toEqual([])
})
