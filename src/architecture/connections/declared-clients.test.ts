import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'lists the mapped methods of a Feign client as its calls',
    files: {
      'Billing.java': `@FeignClient(name = "billing", url = "http://billing:8080/", path = "/v1")
interface Billing {
  @GetMapping("/pay/{id}") String get(String id);
  @PostMapping("/pay") String pay();
  default void helper() {}
}`,
    },
    rows: [
      '2: REST FeignClient -> billing, Billing; path /v1; url http://billing:8080; calls GET /v1/pay/{id} + POST /v1/pay',
    ],
  },
  {
    title: 'takes the URL as target when there is no name',
    files: { 'Billing.java': '@FeignClient(url = "http://billing/api") interface Billing {}' },
    rows: ['1: REST FeignClient -> http://billing/api, Billing; url http://billing/api'],
  },
  {
    title: 'takes the type as target when nothing is given',
    files: { 'Billing.java': '@FeignClient interface Billing {}' },
    rows: ['1: REST FeignClient -> Billing, Billing [low]'],
  },
  {
    title: 'fills in a setting',
    files: {
      'Billing.kt':
        '@FeignClient(name = "\\${billing.name}")\ninterface Billing {\n  @GetMapping("/x") fun x(): String\n}',
      'application.properties': 'billing.name=billing-v2',
    },
    rows: ['2: REST FeignClient -> billing-v2, Billing; calls GET /x [medium]'],
  },
  {
    title: 'reads the rest clients of MicroProfile',
    files: {
      'Billing.java': `@RegisterRestClient(configKey = "billing", baseUri = "http://billing")
@Path("/v1") interface Billing { @GET @Path("/x") String x(); }`,
    },
    rows: ['2: REST RestClient -> billing, Billing; url http://billing; calls GET /v1/x'],
  },
  {
    title: 'takes an interface of exchanges as a client, unless a controller implements it',
    files: {
      'Billing.java': '@HttpExchange("/v1") interface Billing { @GetExchange("/x") String x(); }',
      'Orders.java': '@HttpExchange("/orders") interface Orders { @GetExchange("/x") String x(); }',
      'OrderController.java': '@RestController class OrderController implements Orders {}',
    },
    rows: ['1: REST HttpExchange -> Billing, Billing; calls GET /v1/x [low]'],
  },
  {
    title: 'gives no row for an interface without a client annotation',
    files: { 'Billing.java': '@RequestMapping("/v1") interface Billing { @GetMapping("/x") String x(); }' },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
