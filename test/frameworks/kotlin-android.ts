import type { FrameworkSnippets } from './snippet-corpus.ts'

const RETROFIT: FrameworkSnippets = {
  framework: 'Retrofit',
  language: 'Kotlin, Java',
  finds: ['calls'],
  found: [
    {
      title: 'an interface and the builder of its client',
      files: {
        'NewsApi.kt': `import retrofit2.http.GET
import retrofit2.http.POST

interface NewsApi {
    @GET("topics/{id}")
    suspend fun topic(@Path("id") id: String): Topic
    @POST("topics")
    suspend fun add(@Body topic: Topic)
}
`,
        'Network.kt': `import retrofit2.Retrofit

private const val BASE = "https://news.test/api/"

object Network {
    val api: NewsApi by lazy {
        Retrofit.Builder().baseUrl(BASE).build().create(NewsApi::class.java)
    }
}
`,
      },
      rows: ['out 4: REST Retrofit -> https://news.test/api, NewsApi; calls GET /topics/{id} + POST /topics'],
    },
    {
      title: 'a client that Hilt provides, with a constant of the build',
      files: {
        'app/build.gradle': `android { defaultConfig { buildConfigField 'String', 'API_URL', '"https://shop.test"' } }`,
        'app/src/main/java/ShopApi.kt': `import retrofit2.http.DELETE

interface ShopApi {
    @DELETE("/carts/{id}")
    suspend fun clear(@Path("id") id: String)
}
`,
        'app/src/main/java/NetworkModule.kt': `import retrofit2.Retrofit

@Module
@InstallIn(SingletonComponent::class)
object NetworkModule {
    @Provides
    fun retrofit(client: OkHttpClient): Retrofit = Retrofit.Builder().baseUrl(BuildConfig.API_URL).client(client).build()

    @Provides
    fun shopApi(retrofit: Retrofit): ShopApi = retrofit.create<ShopApi>()
}
`,
      },
      rows: ['out 3: REST Retrofit -> https://shop.test, ShopApi; calls DELETE /carts/{id} [medium]'],
    },
    {
      title: 'an interface in Java whose address is not known',
      files: {
        'GitHub.java': `import retrofit2.http.*;
interface GitHub {
  @GET("repos/{owner}") Call<List<Repo>> repos(@Path("owner") String owner, @Query("page") int page);
  @HTTP(method = "PURGE", path = "cache") Call<Void> purge();
}`,
      },
      rows: ['out 2: REST Retrofit -> GitHub, GitHub; calls GET /repos/{owner} + PURGE /cache [low]'],
    },
  ],
  notFound: [
    {
      title: 'annotations of JAX-RS, and a class',
      files: {
        'Api.java': 'import jakarta.ws.rs.GET;\ninterface Api { @GET String x(); }',
        'Fake.kt': 'import retrofit2.http.GET\n\nclass Fake { fun topic() = "" }',
      },
    },
  ],
}

const ROOM: FrameworkSnippets = {
  framework: 'Room',
  language: 'Kotlin, Java',
  finds: ['stores'],
  found: [
    {
      title: 'a database, its access object and its file',
      files: {
        'NewsDatabase.kt': `import androidx.room.Database

@Database(entities = [TopicEntity::class], version = 1)
abstract class NewsDatabase : RoomDatabase() {
    abstract fun topicDao(): TopicDao
}
`,
        'TopicDao.kt': `import androidx.room.Dao

@Dao
interface TopicDao {
    @Query("SELECT * FROM topics")
    fun topics(): Flow<List<TopicEntity>>
}
`,
        'DatabaseModule.kt': `import androidx.room.Room

object DatabaseModule {
    fun database(context: Context): NewsDatabase =
        Room.databaseBuilder(context, NewsDatabase::class.java, "news-database").build()
}
`,
      },
      rows: [
        'out 4: SQL Room -> sqlite:news-database, NewsDatabase',
        'out 4: SQL Room -> sqlite:news-database, TopicDao',
      ],
    },
    {
      title: 'a database in Java',
      files: {
        'AppDatabase.java': `import androidx.room.*;
@Database(entities = {Feed.class}, version = 2)
abstract class AppDatabase extends RoomDatabase { abstract FeedDao feeds(); }`,
        'Databases.java': `import androidx.room.Room;
class Databases {
  static final String NAME = "feeds.db";
  AppDatabase open(Context c) { return Room.databaseBuilder(c, AppDatabase.class, NAME).build(); }
}`,
      },
      rows: ['out 3: SQL Room -> sqlite:feeds.db, AppDatabase'],
    },
    {
      title: 'an access object whose database is not in the project',
      files: {
        'LogDao.kt': `import androidx.room.Dao

@Dao
abstract class LogDao {
    @Insert
    abstract fun add(line: Line)
}
`,
      },
      rows: ['out 4: SQL Room -> sqlite, LogDao [medium]'],
    },
  ],
  notFound: [
    {
      title: 'annotations of another library',
      files: { 'UserDao.java': 'import org.jdbi.Dao;\n@Dao interface UserDao {}\n@Database class Users {}' },
    },
  ],
}

const DATA_STORE: FrameworkSnippets = {
  framework: 'DataStore',
  language: 'Kotlin, Java',
  finds: ['stores'],
  found: [
    {
      title: 'preferences in a constructor',
      files: {
        'Settings.kt': `import androidx.datastore.core.DataStore

class Settings @Inject constructor(private val store: DataStore<Preferences>) {
    fun clear() = store.edit { it.clear() }
}
`,
      },
      rows: ['out 3: DataStore DataStore -> Preferences, Settings [medium]'],
    },
    {
      title: 'a message of protobuf',
      files: {
        'User.kt': `import androidx.datastore.core.DataStore

class UserSource(
    private val userPreferences: DataStore<UserPreferences>,
)
`,
      },
      rows: ['out 4: DataStore DataStore -> UserPreferences, UserSource [medium]'],
    },
    {
      title: 'a delegate with a name',
      files: {
        'Context.kt': `import androidx.datastore.preferences.preferencesDataStore

val Context.settings by preferencesDataStore(name = "settings")
`,
      },
      rows: ['out 3: DataStore DataStore -> settings'],
    },
    {
      title: 'the type for RxJava',
      files: {
        'Settings.java': `import androidx.datastore.preferences.core.Preferences;
import androidx.datastore.rxjava3.RxDataStore;

class Settings {
    private final RxDataStore<Preferences> store;
}
`,
      },
      rows: ['out 5: DataStore DataStore -> Preferences, Settings [medium]'],
    },
  ],
  notFound: [
    {
      title: 'a type of the same name',
      files: { 'Copy.kt': 'import shop.DataStore\n\nclass Copy(private val store: DataStore<String>)\n' },
    },
  ],
}

export const ANDROID_SNIPPETS: readonly FrameworkSnippets[] = [RETROFIT, ROOM, DATA_STORE]
