import { GO_SNIPPETS } from './go-corpus.ts'
import { JAVA_CLIENT_SNIPPETS } from './java-clients.ts'
import { JAVA_DRIVER_SNIPPETS } from './java-drivers.ts'
import { JAVA_EVENT_SNIPPETS } from './java-events.ts'
import { SPRING_GATEWAY_SNIPPETS } from './java-gateway.ts'
import { JAVA_HTTP_SNIPPETS } from './java-http.ts'
import { JAKARTA_SNIPPETS } from './java-jakarta.ts'
import { JAVA_MAPPER_SNIPPETS } from './java-mappers.ts'
import { JAVA_MESSAGE_SNIPPETS } from './java-messages.ts'
import { JAVA_STORE_SNIPPETS } from './java-stores.ts'
import { JAVA_WEB_SNIPPETS } from './java-web.ts'
import { ANDROID_SNIPPETS } from './kotlin-android.ts'
import { KTOR_SNIPPETS } from './kotlin-ktor.ts'
import { PYTHON_HTTP_SNIPPETS } from './python-clients.ts'
import { PYTHON_DJANGO_SNIPPETS } from './python-django.ts'
import { PYTHON_ENDPOINT_SNIPPETS } from './python-endpoints.ts'
import { PYTHON_GRPC_SNIPPETS } from './python-grpc.ts'
import { PYTHON_MESSAGE_SNIPPETS } from './python-messages.ts'
import { PYTHON_STORE_SNIPPETS } from './python-stores.ts'
import { SCRIPT_SNIPPETS } from './script.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

/** The snippet corpus: every framework that the analysis recognizes. The table in the documentation is made of it. */
export const CORPUS: readonly FrameworkSnippets[] = [
  ...GO_SNIPPETS,
  ...JAVA_CLIENT_SNIPPETS,
  ...JAVA_DRIVER_SNIPPETS,
  ...JAVA_EVENT_SNIPPETS,
  SPRING_GATEWAY_SNIPPETS,
  ...JAVA_HTTP_SNIPPETS,
  ...JAKARTA_SNIPPETS,
  ...JAVA_MAPPER_SNIPPETS,
  ...JAVA_MESSAGE_SNIPPETS,
  ...JAVA_STORE_SNIPPETS,
  ...JAVA_WEB_SNIPPETS,
  ...ANDROID_SNIPPETS,
  ...KTOR_SNIPPETS,
  ...PYTHON_HTTP_SNIPPETS,
  ...PYTHON_DJANGO_SNIPPETS,
  ...PYTHON_ENDPOINT_SNIPPETS,
  PYTHON_GRPC_SNIPPETS,
  ...PYTHON_MESSAGE_SNIPPETS,
  ...PYTHON_STORE_SNIPPETS,
  ...SCRIPT_SNIPPETS,
]
