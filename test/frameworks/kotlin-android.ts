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

export const ANDROID_SNIPPETS: readonly FrameworkSnippets[] = [RETROFIT]
