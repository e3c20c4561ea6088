// Values that look like secrets and are none: random, the same for the same place, and never in clear in a file of
// this repository. Prefixes are split, so that no scanner takes this table for a leak.

import { createHash } from 'node:crypto'
import { Stop } from '../lib/stop.mjs'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const UPPER = LOWER.toUpperCase()
const HEX = `${DIGITS}abcdef`
const ALNUM = DIGITS + UPPER + LOWER
const BASE32 = `${UPPER}234567`
const BASE64 = `${UPPER}${LOWER}${DIGITS}+/`
const BASE64URL = `${UPPER}${LOWER}${DIGITS}-_`

/** A source of pseudo-random characters: SHA-256 in counter mode over a name. */
class Characters {
  #count = 0
  /** @type {number[]} */
  #bytes = []

  /** @param {string} name */
  constructor(name) {
    this.name = name
  }

  /** @param {number} limit */
  #below(limit) {
    for (;;) {
      if (this.#bytes.length === 0)
        this.#bytes = [
          ...createHash('sha256')
            .update(`${this.name} ${this.#count++}`)
            .digest(),
        ]
      const byte = this.#bytes.pop() ?? 0
      if (byte < 256 - (256 % limit)) return byte % limit
    }
  }

  /**
   * @param {string} alphabet
   * @param {number} length
   */
  take(alphabet, length) {
    return Array.from({ length }, () => alphabet[this.#below(alphabet.length)]).join('')
  }
}

/** @param {string} text */
function base62Crc(text) {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = ALNUM[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** @param {unknown} value */
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * @param {Characters} from
 * @param {string} kind
 * @param {string} start how the Base64 of such a file begins
 * @param {number} bytes as many as the beginning says
 */
function pem(from, kind, start, bytes) {
  const random = from.take(BASE64, 4 * Math.ceil(bytes / 3) - start.length)
  const body = Buffer.from(start + random, 'base64')
    .subarray(0, bytes)
    .toString('base64')
  const dashes = '-'.repeat(5)
  return [
    `${dashes}BEGIN ${kind}${dashes}`,
    ...(body.match(/.{1,64}/g) ?? []),
    `${dashes}END ${kind}${dashes}`,
  ]
}

/** @param {Characters} from */
function uuid(from) {
  return `${from.take(HEX, 8)}-${from.take(HEX, 4)}-4${from.take(HEX, 3)}-a${from.take(HEX, 3)}-${from.take(HEX, 12)}`
}

/** @type {Readonly<Record<string, (from: Characters) => string>>} */
const KINDS = {
  'aws-id': (from) => `AK${'IA'}${from.take(BASE32, 16)}`,
  'aws-secret': (from) => from.take(BASE64, 40),
  'github-token': (from) => {
    const body = from.take(ALNUM, 30)
    return `gh${'p_'}${body}${base62Crc(body)}`
  },
  'github-fine-token': (from) => `github${'_pat_'}${from.take(ALNUM, 22)}_${from.take(ALNUM, 59)}`,
  'github-app-token': (from) => `gh${'s_'}${from.take(ALNUM, 36)}`,
  'gitlab-token': (from) => `gl${'pat-'}${from.take(ALNUM, 20)}`,
  'npm-token': (from) => {
    const body = from.take(ALNUM, 30)
    return `np${'m_'}${body}${base62Crc(body)}`
  },
  'pypi-token': (from) => `py${'pi-'}AgEIcHlwaS5vcmc${from.take(BASE64URL, 150)}`,
  'rubygems-token': (from) => `ruby${'gems_'}${from.take(HEX, 48)}`,
  'docker-token': (from) => `dckr${'_pat_'}${from.take(BASE64URL, 27)}`,
  'package-source': () => `https:${'//'}packages.example.com/`,
  'slack-bot': (from) =>
    `xo${'xb-'}${from.take(DIGITS, 12)}-${from.take(DIGITS, 13)}-${from.take(ALNUM, 24)}`,
  'slack-webhook': (from) =>
    `https://hooks.${'slack.com'}/services/T${from.take(UPPER + DIGITS, 10)}/B${from.take(UPPER + DIGITS, 10)}/${from.take(ALNUM, 24)}`,
  'discord-webhook': (from) =>
    `https://discord${'.com/api'}/webhooks/${from.take(DIGITS, 18)}/${from.take(BASE64URL, 68)}`,
  'telegram-token': (from) => `${from.take('123456789', 10)}:AA${from.take(BASE64URL, 33)}`,
  'stripe-key': (from) => `sk_${'live_'}51${from.take(ALNUM, 97)}`,
  'stripe-restricted': (from) => `rk_${'live_'}51${from.take(ALNUM, 97)}`,
  'stripe-webhook': (from) => `wh${'sec_'}${from.take(ALNUM, 32)}`,
  'sendgrid-key': (from) => `S${'G.'}${from.take(BASE64URL, 22)}.${from.take(BASE64URL, 43)}`,
  'mailgun-key': (from) => `key${'-'}${from.take(HEX, 32)}`,
  'twilio-key': (from) => `S${'K'}${from.take(HEX, 32)}`,
  'google-key': (from) => `AI${'za'}Sy${from.take(BASE64URL, 33)}`,
  'google-client-secret': (from) => `GOC${'SPX-'}${from.take(BASE64URL, 28)}`,
  'azure-storage-key': (from) => `${from.take(BASE64, 86)}==`,
  'azure-client-secret': (from) => `${from.take(ALNUM, 3)}8${'Q~'}${from.take(ALNUM, 34)}`,
  'openai-key': (from) => `sk-${'proj-'}${from.take(ALNUM, 74)}T3${'BlbkFJ'}${from.take(ALNUM, 74)}`,
  'anthropic-key': (from) => `sk-${'ant-api03-'}${from.take(BASE64URL, 93)}AA`,
  'huggingface-token': (from) => `h${'f_'}${from.take(UPPER + LOWER, 34)}`,
  'digitalocean-token': (from) => `dop${'_v1_'}${from.take(HEX, 64)}`,
  'shopify-token': (from) => `shp${'at_'}${from.take(HEX, 32)}`,
  'square-token': (from) => `EA${'AA'}${from.take(BASE64URL, 60)}`,
  'sentry-token': (from) => `sntr${'ys_'}eyJpYXQiOjE3${from.take(ALNUM, 120)}_${from.take(BASE64, 43)}`,
  'grafana-token': (from) => `gl${'sa_'}${from.take(ALNUM, 32)}_${from.take(HEX, 8)}`,
  'vault-token': (from) => `hv${'s.'}${from.take(BASE64URL, 92)}`,
  'terraform-token': (from) => `${from.take(ALNUM, 14)}.atlas${'v1.'}${from.take(BASE64URL, 65)}`,
  'databricks-token': (from) => `da${'pi'}${from.take(HEX, 32)}`,
  'newrelic-key': (from) => `NR${'AK-'}${from.take(UPPER + DIGITS, 27)}`,
  'postman-key': (from) => `PM${'AK-'}${from.take(HEX, 24)}-${from.take(HEX, 34)}`,
  'linear-key': (from) => `lin${'_api_'}${from.take(ALNUM, 40)}`,
  'doppler-token': (from) => `dp${'.pt.'}${from.take(ALNUM, 43)}`,
  'pulumi-token': (from) => `pu${'l-'}${from.take(HEX, 40)}`,
  'supabase-token': (from) => `sb${'p_'}${from.take(HEX, 40)}`,
  'airtable-token': (from) => `pa${'t'}${from.take(ALNUM, 14)}.${from.take(HEX, 64)}`,
  'atlassian-token': (from) =>
    `ATA${'TT3xFfGF0'}${from.take(BASE64URL, 171)}=${from.take(HEX, 8).toUpperCase()}`,
  'fcm-key': (from) => `AAAA${from.take(BASE64URL, 7)}:APA${'91b'}${from.take(BASE64URL, 134)}`,
  'mapbox-token': (from) =>
    `sk.${base64url({ u: `studio${from.take(LOWER, 6)}`, a: from.take(LOWER + DIGITS, 25) })}.${from.take(BASE64URL, 22)}`,
  jwt: (from) =>
    `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: from.take(DIGITS, 10), role: 'service_role', iat: 1760000000 })}.${from.take(BASE64URL, 43)}`,
  // 32 bytes; the bits that X25519 sets anyway are random too.
  'wireguard-key': (from) => `${from.take(BASE64, 42)}${from.take('AEIMQUYcgkosw048', 1)}=`,
  password: (from) => `${from.take(ALNUM, 7)}${from.take('!%*+_', 1)}${from.take(ALNUM, 8)}`,
  'url-password': (from) => from.take(ALNUM, 18),
  hex32: (from) => from.take(HEX, 32),
  hex40: (from) => from.take(HEX, 40),
  hex64: (from) => from.take(HEX, 64),
  token40: (from) => from.take(ALNUM, 40),
  base64: (from) => Buffer.from(from.take(ALNUM, 24)).toString('base64'),
  'basic-auth': (from) => Buffer.from(`deploy:${from.take(ALNUM, 20)}`).toString('base64'),
  uuid,
  sha512: (from) => `sha512-${from.take(BASE64, 86)}==`,
  'rsa-key': (from) => pem(from, `RSA PRIVATE ${'KEY'}`, 'MIIEpAIBAAKCAQEA', 1192).join('\n'),
  'pkcs8-key': (from) => pem(from, `PRIVATE ${'KEY'}`, 'MIIEvQIBADANBgkqhkiG9w0BAQ', 1217).join('\n'),
  'ec-key': (from) => pem(from, `EC PRIVATE ${'KEY'}`, 'MHcCAQEEI', 121).join('\n'),
  'openssh-key': (from) =>
    pem(from, `OPENSSH PRIVATE ${'KEY'}`, 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ', 399).join('\n'),
  'pkcs8-key-escaped': (from) =>
    `${pem(from, `PRIVATE ${'KEY'}`, 'MIIEvQIBADANBgkqhkiG9w0BAQ', 1217).join('\\n')}\\n`,
  'public-key': (from) => pem(from, `PUBLIC ${'KEY'}`, 'MIIBIjANBgkqhkiG9w0BAQ', 294).join('\n'),
  certificate: (from) => pem(from, 'CERTIFICATE', 'MIIDXTCCAkWgAwIBAgIJA', 865).join('\n'),
  'github-oauth-token': (from) => {
    const body = from.take(ALNUM, 30)
    return `gh${'o_'}${body}${base62Crc(body)}`
  },
  'slack-app-token': (from) =>
    `xa${'pp-1-'}A${from.take(UPPER + DIGITS, 10)}-${from.take(DIGITS, 13)}-${from.take(HEX, 64)}`,
  'discord-bot-token': (from) =>
    `M${from.take(ALNUM, 25)}.G${from.take(ALNUM, 5)}.${from.take(BASE64URL, 38)}`,
  'age-key': (from) => `AGE-SECRET${'-KEY-1'}${from.take('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  'figma-token': (from) => `fig${'d_'}${from.take(BASE64URL, 40)}`,
  'groq-key': (from) => `gs${'k_'}${from.take(ALNUM, 52)}`,
  'replicate-token': (from) => `r${'8_'}${from.take(ALNUM, 37)}`,
  'resend-key': (from) => `r${'e_'}${from.take(ALNUM, 8)}_${from.take(ALNUM, 24)}`,
  'dynatrace-token': (from) => `dt0${'c01.'}${from.take(BASE32, 24)}.${from.take(BASE32, 64)}`,
  'azure-sas': (from) =>
    `sv=2023-11-03&ss=b&srt=sco&sp=rwdlac&se=2027-12-31T23:59:59Z&si${'g='}${from.take(ALNUM, 43)}%3D`,
  'pgp-key': (from) => {
    const [first = '', ...rest] = pem(from, `PGP PRIVATE ${'KEY BLOCK'}`, 'lQOYBG', 1320)
    return [first, '', ...rest].join('\n')
  },
  'aws-example-id': () => `AK${'IA'}IOSFODNN7EXAMPLE`,
  'aws-example-secret': () => `wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLEKEY'}`,
  'stripe-publishable': (from) => `pk_${'live_'}51${from.take(ALNUM, 97)}`,
  'ours-mark': () => '<'.repeat(7),
  'base-mark': () => '|'.repeat(7),
  'middle-mark': () => '='.repeat(7),
  'theirs-mark': () => '>'.repeat(7),
}

/**
 * @param {string} kind as it stands between ⟦ and ⟧: a kind of the table, `U+200B`, `hidden:TEXT` in tag characters, or
 *   `-` for nothing, which cuts a text that a scanner of this repository would report
 * @param {string} place what makes this value differ from the others of its kind
 */
export function makeValue(kind, place) {
  if (kind === '-') return ''
  if (/^U\+[0-9A-F]{4,6}$/.test(kind)) return String.fromCodePoint(Number.parseInt(kind.slice(2), 16))
  if (kind.startsWith('hidden:'))
    return [...kind.slice(7)].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('')
  const make = KINDS[kind]
  if (make === undefined) throw new Stop(`no kind of value ${kind} (${place})`)
  return make(new Characters(`${kind} ${place}`))
}
