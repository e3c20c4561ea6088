import type { FrameworkSnippets } from './snippet-corpus.ts'

const JDK: FrameworkSnippets = {
  framework: 'Java HTTP client',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a request of the builder',
      files: {
        'Ping.java': `import java.net.http.HttpRequest; class Ping {
  void run() { HttpRequest.newBuilder().uri(URI.create("http://pong/ping")).GET().build(); }
}`,
      },
      rows: ['out 2: REST HttpClient -> http://pong/ping, Ping'],
    },
    {
      title: 'the address as the first argument',
      files: {
        'Ping.java':
          'class Ping { void run() { HttpRequest.newBuilder(URI.create("https://pong.test/x")).build(); } }',
      },
      rows: ['out 1: REST HttpClient -> https://pong.test/x, Ping'],
    },
    {
      title: 'a constant in Kotlin',
      files: {
        'Ping.kt': `const val PONG = "http://pong:9000"
class Ping {
    fun run() = HttpRequest.newBuilder().uri(URI.create("$PONG/health")).build()
}`,
      },
      rows: ['out 3: REST HttpClient -> http://pong:9000/health, Ping'],
    },
  ],
  notFound: [
    {
      title: 'an address that is only made',
      files: { 'Ids.java': 'class Ids { URI id() { return URI.create("http://ids.test/1"); } }' },
    },
  ],
}

const OKHTTP: FrameworkSnippets = {
  framework: 'OkHttp',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a request',
      files: {
        'Feed.java':
          'import okhttp3.Request; class Feed { void load() { Request r = new Request.Builder().url("https://feed.test/rss").build(); } }',
      },
      rows: ['out 1: REST OkHttp -> https://feed.test/rss, Feed'],
    },
    {
      title: 'a request in Kotlin',
      files: {
        'Feed.kt': `class Feed {
    fun load(id: String) {
        val request = Request.Builder().url("https://feed.test/items/$id").get().build()
    }
}`,
      },
      rows: ['out 3: REST OkHttp -> https://feed.test/items/{id}, Feed [medium]'],
    },
    {
      title: 'a constant of the build',
      files: {
        'app/build.gradle.kts': `android { defaultConfig {
    buildConfigField("String", "FEED_URL", "\\"https://feed.test\\"")
} }`,
        'app/src/main/java/Feed.kt': `class Feed {
    fun load() = Request.Builder().url(BuildConfig.FEED_URL + "/rss").build()
}`,
      },
      rows: ['out 2: REST OkHttp -> https://feed.test/rss, Feed [medium]'],
    },
  ],
  notFound: [
    {
      title: 'a builder of another type',
      files: {
        'Image.kt':
          'class Image { fun load() { ImageLoader.Builder().url("https://img.test/a.png").build() } }',
      },
    },
  ],
}

const APACHE: FrameworkSnippets = {
  framework: 'Apache HttpClient',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a request object',
      files: {
        'Tax.java': `import org.apache.http.client.methods.HttpGet;
class Tax { void rate() { client.execute(new HttpGet("https://tax.test/rates")); } }`,
      },
      rows: ['out 2: REST Apache HttpClient GET -> https://tax.test/rates, Tax'],
    },
    {
      title: 'version 5 with a setting',
      files: {
        'Tax.java': `import org.apache.hc.client5.http.classic.methods.HttpPost;
class Tax {
  @Value("\${tax.url}") private String url;
  void send() { HttpPost post = new HttpPost(url + "/declarations"); }
}`,
        'application.properties': 'tax.url=http://tax:8080',
      },
      rows: [
        'out 4: REST Apache HttpClient POST -> http://tax:8080/declarations, Tax [medium]',
        'out 1: Configuration Service URL -> http://tax:8080; path tax.url',
      ],
    },
    {
      title: 'a request in Kotlin',
      files: {
        'Tax.kt': `import org.apache.http.client.methods.HttpDelete
class Tax {
    fun clear() = client.execute(HttpDelete("http://tax/cache"))
}`,
      },
      rows: ['out 3: REST Apache HttpClient DELETE -> http://tax/cache, Tax'],
    },
  ],
  notFound: [
    {
      title: 'a type of the same name',
      files: { 'Tax.java': 'class Tax { Object a = new HttpGet("https://tax.test"); }' },
    },
  ],
}

const GRPC: FrameworkSnippets = {
  framework: 'gRPC',
  language: 'Java, Kotlin',
  finds: ['endpoints', 'calls'],
  found: [
    {
      title: 'a service and its methods',
      files: {
        'cart.proto': 'package shop;\nservice CartService { rpc AddItem(A) returns (B); }',
        'Cart.java': `import io.grpc.stub.StreamObserver; class Cart extends CartServiceGrpc.CartServiceImplBase {
  @Override public void addItem(A request, StreamObserver<B> out) {}
}`,
      },
      rows: ['in 2: gRPC shop.CartService/AddItem, Cart.addItem'],
    },
    {
      title: 'a base class that is imported by its name',
      files: {
        'Ads.java': `import shop.AdServiceGrpc.AdServiceImplBase;
class Ads extends AdServiceImplBase { @Override public void getAds(A request, StreamObserver<B> out) {} }`,
      },
      rows: ['in 2: gRPC AdService/GetAds, Ads.getAds'],
    },
    {
      title: 'a stub and its channel',
      files: {
        'Checkout.java': `class Checkout {
  void run() {
    ManagedChannel channel = ManagedChannelBuilder.forAddress("cart", 7070).build();
    CartServiceGrpc.newBlockingStub(channel);
  }
}`,
      },
      rows: [
        'out 3: gRPC ManagedChannel -> cart:7070, Checkout',
        'out 4: gRPC Stub -> CartService, Checkout',
      ],
    },
    {
      title: 'coroutines, and an injected client',
      files: {
        'Ads.kt': `class Ads : AdServiceGrpcKt.AdServiceCoroutineImplBase() {
    override suspend fun getAds(request: Request): Response = TODO()
}`,
        'Shop.java': 'class Shop { @GrpcClient("cart") CartServiceGrpc.CartServiceBlockingStub cart; }',
      },
      rows: ['in 2: gRPC AdService/GetAds, Ads.getAds', 'out 1: gRPC GrpcClient -> cart, Shop'],
    },
  ],
  notFound: [
    {
      title: 'a base class of the project',
      files: { 'Job.java': 'class Job extends JobBase { @Override public void run() {} }' },
    },
    {
      title: 'a base class of the project whose name ends as those of gRPC',
      files: {
        'Sync.kt': `import android.content.Context

open class SyncApiImplBase(context: Context) : Plugin()
class SyncApiImpl30(context: Context) : SyncApiImplBase(context), SyncApi {
    override fun shouldSync(): Boolean = true
}
`,
      },
    },
  ],
}

export const JAVA_HTTP_SNIPPETS: readonly FrameworkSnippets[] = [JDK, OKHTTP, APACHE, GRPC]
