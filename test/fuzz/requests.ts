/** Malformed requests, each with its possible responses. */
import { requestOf, type Sending } from './raw.js'

export interface RawRequest {
  name: string
  /** Bytes to send, piece by piece. */
  send: readonly (string | Uint8Array)[]
  /**
   * Status of each response, in order; an array lists alternatives. An empty list: the connection is closed without a response.
   */
  gives: readonly (number | readonly number[])[]
  sending?: Sending
}

const line = (target: string, verb = 'GET'): string => requestOf([`${verb} ${target} HTTP/1.1`])
const withHeaders = (...headers: string[]): string => requestOf(['GET /service/info HTTP/1.1', ...headers])
const post = (headers: string[], body: string): string => requestOf(['POST /alice/events HTTP/1.1', ...headers], body)
const JSON_TYPE = 'Content-Type: application/json'
const CHUNKED = 'Transfer-Encoding: chunked'

const one = (name: string, bytes: string, gives: RawRequest['gives'][number], sending?: Sending): RawRequest => ({
  name,
  send: [bytes],
  gives: [gives],
  ...(sending === undefined ? {} : { sending }),
})
/** Ends the connection after sending: the response is a refusal, or none where Node's parser fails. */
const END: Sending = { end: true }

const hosts: RawRequest[] = [
  one('no Host', 'GET /service/info HTTP/1.1\r\nConnection: close\r\n\r\n', 400),
  one('an empty Host', withHeaders('Host:'), 400),
  one('two Hosts', withHeaders('Host: a', 'Host: b'), 400),
  one('two equal Hosts', withHeaders('Host: a', 'Host: a'), 400),
  one('two Hosts, one in capitals', withHeaders('HOST: a', 'host: b'), 400),
  one('a Host of nonsense', withHeaders('Host: a b@c:d'), [200, 400]),
  one('a Host of 8 KB', withHeaders(`Host: ${'a'.repeat(8192)}`), [200, 400]),
]

const targets: RawRequest[] = [
  one('an absolute target', line('http://localhost/service/info'), 400),
  one("an absolute target with another's name", line('http://bob.example.org/alice/events'), 400),
  one('an absolute target of another scheme', line('file:///etc/passwd'), 400),
  one('an asterisk', line('*'), 400),
  one('an asterisk with OPTIONS', line('*', 'OPTIONS'), 200),
  one('an authority', line('localhost:80'), 400),
  one('a relative path', line('service/info'), 400),
  one('two slashes first', line('//alice/events'), 400),
  one('two slashes only', line('//'), 400),
  one('two slashes within', line('/alice//events'), 400),
  one('a dot segment', line('/alice/./events'), 400),
  one('two dots', line('/alice/../bob/events'), 400),
  one('two dots above the root', line('/../../etc/passwd'), 400),
  one('two dots at the end', line('/alice/..'), 400),
  one('escaped dots', line('/alice/%2e%2e/bob/events'), 400),
  one('escaped dots, half', line('/alice/.%2E/bob/events'), 400),
  one('escaped twice', line('/alice/%252e%252e/bob'), [401, 404]),
  one('an escaped slash', line('/alice%2Fevents'), 400),
  one('an escaped backslash', line('/alice%5cevents'), 400),
  one('a backslash', line('/alice\\events'), 400),
  one('an escaped NUL', line('/alice/events%00'), 400),
  one('a NUL', line('/alice/ev\0ents'), 400),
  one('a broken escape', line('/alice/%'), 400),
  one('a broken escape of letters', line('/alice/events/%zz'), 400),
  one('an escape that is no UTF-8', line('/alice/events/%c0%af'), 400),
  one('an escape of half a pair', line('/alice/events/%ed%a0%80'), 400),
  one('bytes beyond ASCII', line('/\xe4lice/events'), 400),
  one('a control character', line('/alice/ev\x01ents'), 400),
  one('a space', line('/alice/ev ents'), 400),
  one('a fragment', line('/alice/events#x'), 400),
  one('nothing', 'GET  HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400),
  one('a path of 30 KB', line(`/${'a'.repeat(30_000)}`), 404),
  one('a path of 8,000 segments', line('/a'.repeat(8000)), 404),
  one('a path of 100 KB', line(`/${'a'.repeat(100_000)}`), 431),
  one('a user that does not exist', line('/__proto__/events'), 404),
  one('a user named constructor', line('/constructor/events'), 404),
  one('a query of NUL', line('/alice/events?a=\0'), 400),
  one('a query of an escaped NUL', line('/alice/events?fromTime=%00&auth=%00'), [400, 403]),
  one('a question mark only', line('/service/info?'), 200),
  one('many question marks', line('/service/info????&&&==='), [200, 400]),
  one('a broken escape in the query', line('/alice/events?auth=%&streams=%zz'), [400, 403]),
]

const verbs: RawRequest[] = [
  one('a verb in lower case', line('/service/info', 'get'), 400),
  one('an unknown verb', line('/service/info', 'BREW'), 400),
  one('a verb of 10 KB', line('/service/info', 'A'.repeat(10_000)), 400),
  one('PATCH', line('/alice/events', 'PATCH'), 404),
  one('TRACE', line('/service/info', 'TRACE'), 404),
  one('PROPFIND', line('/alice', 'PROPFIND'), 404),
  one('PURGE', line('/', 'PURGE'), 404),
  one('CONNECT', line('localhost:443', 'CONNECT'), 400),
  one('CONNECT to a path', line('/alice/events', 'CONNECT'), 400),
  one('HEAD', line('/service/info', 'HEAD'), 200, { head: true }),
  one('DELETE of the root', line('/', 'DELETE'), 404),
]

const versions: RawRequest[] = [
  one('HTTP/0.9', 'GET /service/info\r\n\r\n', 400),
  one('HTTP/1.0 without Host', 'GET /service/info HTTP/1.0\r\n\r\n', 400),
  one('HTTP/1.0', 'GET /service/info HTTP/1.0\r\nHost: a\r\n\r\n', 200),
  one('HTTP/1.9', 'GET / HTTP/1.9\r\nHost: a\r\n\r\n', 400),
  one('HTTP/2', 'GET / HTTP/2.0\r\nHost: a\r\nConnection: close\r\n\r\n', [200, 400]),
  one('the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
  one('HTTP/1.1x', 'GET / HTTP/1.1x\r\nHost: a\r\n\r\n', 400),
  one('another protocol', 'GET / RTSP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n', [200, 400]),
  one('no protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 400),
  one('a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
  one('zeros', '\0'.repeat(100), 400),
  one('empty lines, and a request', `\r\n\r\n${line('/service/info')}`, 200),
  { name: 'empty lines only', send: ['\r\n\r\n\r\n'], gives: [], sending: END },
  { name: 'nothing at all', send: [''], gives: [], sending: END },
  { name: 'half a request line', send: ['GET /serv'], gives: [400], sending: END },
]

const lengths: RawRequest[] = [
  one('a length and chunks', post([JSON_TYPE, 'Content-Length: 4', CHUNKED], '2\r\n{}\r\n0\r\n\r\n'), 400),
  one('chunks and a length', post([JSON_TYPE, CHUNKED, 'Content-Length: 0'], '2\r\n{}\r\n0\r\n\r\n'), 400),
  one('two lengths', post([JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3'], '{} '), 400),
  one('two equal lengths', post([JSON_TYPE, 'Content-Length: 2', 'Content-Length: 2'], '{}'), 400),
  one('a list of lengths', post([JSON_TYPE, 'Content-Length: 2, 2'], '{}'), 400),
  one('a negative length', post([JSON_TYPE, 'Content-Length: -1'], '{}'), 400),
  one('a length with a plus', post([JSON_TYPE, 'Content-Length: +2'], '{}'), 400),
  one('a length in hexadecimal', post([JSON_TYPE, 'Content-Length: 0x2'], '{}'), 400),
  one('a length in exponents', post([JSON_TYPE, 'Content-Length: 2e0'], '{}'), 400),
  one('an empty length', post([JSON_TYPE, 'Content-Length:'], '{}'), 400),
  one('a length beyond numbers', post([JSON_TYPE, `Content-Length: ${'9'.repeat(30)}`], '{}'), 400),
  one('a length of a terabyte', post([JSON_TYPE, 'Content-Length: 1099511627776'], '{}'), 413, { answers: 1 }),
  one('a body shorter than its length', post([JSON_TYPE, 'Content-Length: 100'], '{}'), 400, END),
  one('a body longer than its length', post([JSON_TYPE, 'Content-Length: 2'], '{}{}{}'), 401),
  one('a GET with a body', requestOf(['GET /service/info HTTP/1.1', 'Content-Length: 2'], '{}'), 200),
]

const chunks: RawRequest[] = [
  one('another encoding', post([JSON_TYPE, 'Transfer-Encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n'), 400),
  one('chunks that are not last', post([JSON_TYPE, 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'), 400),
  one('chunks twice', post([JSON_TYPE, 'Transfer-Encoding: chunked, chunked'], '0\r\n\r\n'), [400, 401]),
  one('an encoding of control characters', post([JSON_TYPE, 'Transfer-Encoding: \x0bchunked'], '0\r\n\r\n'), 400),
  one('a chunk of no number', post([JSON_TYPE, CHUNKED], 'zz\r\n{}\r\n0\r\n\r\n'), 400),
  one('a chunk of a negative number', post([JSON_TYPE, CHUNKED], '-2\r\n{}\r\n0\r\n\r\n'), 400),
  one('a chunk beyond numbers', post([JSON_TYPE, CHUNKED], `${'F'.repeat(20)}\r\n{}`), 400),
  one('a chunk longer than it says', post([JSON_TYPE, CHUNKED], '2\r\n{}{}\r\n0\r\n\r\n'), 400),
  one('a chunk with bare line feeds', post([JSON_TYPE, CHUNKED], '2\n{}\n0\n\n'), 400, END),
  one('an endless extension', post([JSON_TYPE, CHUNKED], `2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`), [400, 413]),
  one('a last chunk that never comes', post([JSON_TYPE, CHUNKED], '2\r\n{}\r\n'), 400, END),
  one('a trailer of a length', post([JSON_TYPE, CHUNKED], '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'), 400),
  one('a trailer', post([JSON_TYPE, CHUNKED], '2\r\n{}\r\n0\r\nX-After: 5\r\n\r\n'), 401),
]

const headers: RawRequest[] = [
  one('a header of 100 KB', withHeaders(`X-Long: ${'a'.repeat(100_000)}`), 431),
  one('5,000 headers', withHeaders(...Array.from({ length: 5000 }, (_, i) => `X-${i}: a`)), 431),
  one('1,900 short headers', withHeaders(...Array.from({ length: 1900 }, (_, i) => `x${i}:`)), [200, 400, 431]),
  one('a space before the colon', withHeaders('X-Space : a'), 400),
  one('a name with a space', withHeaders('X Space: a'), 400),
  one('no colon', withHeaders('X-None'), 400),
  one('no name', withHeaders(': a'), 400),
  one('a folded value', withHeaders('X-Fold: a\r\n b'), [200, 400]),
  one('a folded Host', 'GET /service/info HTTP/1.1\r\nHost: a\r\n b\r\nConnection: close\r\n\r\n', [200, 400]),
  one('a first header that begins with a space', 'GET / HTTP/1.1\r\n Host: a\r\n\r\n', 400),
  one('a bare carriage return', withHeaders('X-Bare: a\rb'), 400),
  one('bare line feeds', 'GET /service/info HTTP/1.1\nHost: a\nConnection: close\n\n', 400),
  one('a NUL in a value', withHeaders('X-Nul: a\0b'), 400),
  one('a name of control characters', withHeaders('X\x01: a'), 400),
  one('bytes beyond ASCII', withHeaders('X-Bytes: \xff\xfe'), 200),
  one('an Origin of nonsense', withHeaders('Origin: ://?#[]@!$&'), 200),
  one('an Origin of bytes', withHeaders('Origin: \xe9\xff'), 200),
  one('requested headers of bytes', withHeaders('Access-Control-Request-Headers: \xe9\x80'), 200),
  one('an expectation that is unknown', withHeaders('Expect: the-unexpected'), [200, 400]),
  one(
    'an expectation to go on',
    requestOf(['POST /alice/events HTTP/1.1', JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue'], '{}'),
    401,
  ),
  one('an upgrade to nothing', withHeaders('Upgrade: nothing', 'Connection: Upgrade'), [200, 400]),
  one(
    'an upgrade to HTTP/2',
    withHeaders('Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AA'),
    [200, 400],
  ),
  one(
    'a websocket',
    withHeaders('Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: AAAA', 'Sec-WebSocket-Version: 13'),
    [200, 400],
  ),
  one('another verb in a header', requestOf(['GET /alice/events HTTP/1.1', 'X-HTTP-Method-Override: DELETE']), 401),
  one('forwarding headers of nonsense', withHeaders('X-Forwarded-For: a, b, [::', 'Forwarded: for=;;;'), 200),
]

const authorizations: RawRequest[] = ([
  ['an authorization of 20 KB', 'a'.repeat(20_000), 403],
  ['an authorization of spaces', '   ', 401],
  ['an authorization of bytes', '\xff\xfe', 403],
  ['a Basic that is no Base64', 'Basic ====', 401],
  ['a Basic of bytes', 'Basic /////w==', 403],
  ['a Basic without user', 'Basic OmFiYw==', 403],
  ['a Bearer of nothing', 'Bearer', 401],
  ['a Bearer of many words', 'Bearer a b c d', 403],
  ['a DPoP without proof', 'DPoP abc', 403],
  ['a token named __proto__', '__proto__', 403],
  ['a token with a slash', '../../!n/alice', 403],
] as const).map(([name, value, status]) =>
  one(name, requestOf(['GET /alice/events HTTP/1.1', `Authorization: ${value}`]), status),
)

const bodies: RawRequest[] = [
  one('no type', post(['Content-Length: 2'], '{}'), 401),
  one('a type of nonsense', post(['Content-Type: ;;;=,', 'Content-Length: 2'], '{}'), 401),
  one('a type twice', post([JSON_TYPE, 'Content-Type: text/plain', 'Content-Length: 2'], '{}'), [400, 401]),
  one(
    'a charset that is not UTF-8',
    post([`${JSON_TYPE}; charset=utf-16`, 'Content-Length: 2'], '{}'),
    [400, 401, 415],
  ),
  one(
    'parts without boundary',
    post(['Content-Type: multipart/form-data', 'Content-Length: 2'], '--'),
    [400, 401, 451],
  ),
  one('compressed', post([JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 4'], '\x1f\x8b\x08\0'), [400, 415]),
  one('bytes that are no UTF-8', post([JSON_TYPE, 'Content-Length: 10'], '{"a":"\xff"}\n'), 400),
  one('a byte-order mark', post([JSON_TYPE, 'Content-Length: 5'], '\xef\xbb\xbf{}'), 400),
]

const good = 'GET /service/info HTTP/1.1\r\nHost: a\r\n\r\n'
const pipelines: RawRequest[] = [
  { name: 'two requests at once', send: [good + line('/service/info')], gives: [200, 200] },
  { name: 'a hundred requests at once', send: [good.repeat(99) + line('/')], gives: Array<number>(100).fill(200) },
  { name: 'a good one and a bad one', send: [`${good}GET /a b HTTP/1.1\r\n\r\n`], gives: [200, 400] },
  { name: 'a good one and garbage', send: [`${good}\x16\x03\x01garbage\r\n\r\n`], gives: [200, 400] },
  { name: 'a good one and half a one', send: [`${good}GET /serv`], gives: [200, 400], sending: END },
  {
    name: 'a refused path, which ends the connection, then a good one',
    send: [`GET //x HTTP/1.1\r\nHost: a\r\n\r\n${line('/service/info')}`],
    gives: [400],
  },
  {
    name: 'a good one and a bad body',
    send: [good + post([JSON_TYPE, CHUNKED], 'zz\r\n')],
    gives: [200, 400],
  },
  {
    name: 'a request within a body',
    send: [requestOf(['POST /alice/events HTTP/1.1', JSON_TYPE, `Content-Length: ${good.length}`], good)],
    gives: [400],
  },
  { name: 'one byte at a time', send: [...line('/service/info')], gives: [200] },
]

/** All requests; names have the part of the request as a prefix. */
export const rawRequests: readonly RawRequest[] = Object.entries({
  host: hosts,
  target: targets,
  verb: verbs,
  version: versions,
  length: lengths,
  chunk: chunks,
  header: headers,
  authorization: authorizations,
  body: bodies,
  pipeline: pipelines,
}).flatMap(([about, list]) => list.map((row) => ({ ...row, name: `${about}: ${row.name}` })))
