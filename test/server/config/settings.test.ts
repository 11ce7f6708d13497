import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import type { ConfigSources } from '../../../src/server/config/config.js'
import { ConfigError } from '../../../src/server/config/problem.js'
import { editDistance, nearest } from '../../../src/server/base/didYouMean.js'
import { environmentName, settingKeys, settings } from '../../../src/server/config/settings/settings.js'

const folder = mkdtempSync(join(tmpdir(), 'coffer-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileWith(text: string): string {
  const file = join(folder, `${files++}.toml`)
  writeFileSync(file, text)
  return file
}

function problemsOf(sources: ConfigSources): string[] {
  try {
    loadConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(folder, '').split('\n')
    throw error
  }
  return []
}

describe('table of settings', () => {
  it.each(settingKeys)('%s has a default that matches its schema', (key) => {
    const { default: value, kind, summary } = settings[key]
    if (value !== null) expect(kind.schema().safeParse(value).success).toBe(true)
    expect(summary).toMatch(/^[A-Z].*\.$/)
  })

  it('maps every setting to a distinct environment variable', () => {
    expect(new Set(settingKeys.map(environmentName)).size).toBe(settingKeys.length)
  })

  it.each([
    ['auth.adminAccessKey', 'COFFER_SET_AUTH_ADMIN_ACCESS_KEY'],
    ['dnsLess.isActive', 'COFFER_SET_DNS_LESS_IS_ACTIVE'],
    ['user-account.delete', 'COFFER_SET_USER_ACCOUNT_DELETE'],
    ['limits.json.maxSizeMb', 'COFFER_SET_LIMITS_JSON_MAX_SIZE_MB'],
    ['invitationTokens', 'COFFER_SET_INVITATION_TOKENS'],
  ] as const)('%s is %s in the environment', (key, name) => expect(environmentName(key)).toBe(name))
})

describe('precedence', () => {
  const file = fileWith('[http]\nport = 1\n')
  const env = { COFFER_SET_HTTP_PORT: '2' }
  it.each([
    ['no source', {}, 3000, 'default'],
    ['the file', { file }, 1, 'file'],
    ['the environment over the file', { file, env }, 2, 'environment'],
    ['a flag over both', { file, env, flags: { 'http.port': '3' } }, 3, 'flag'],
    ['an undefined flag', { file, flags: { 'http.port': undefined } }, 1, 'file'],
    ['a file that does not exist', { file: join(folder, 'none.toml') }, 3000, 'default'],
  ] as const)('%s', (_, sources, port, origin) => {
    const config = loadConfig(sources)
    expect(config.get('http.port')).toBe(port)
    expect(config.origin('http.port')).toBe(origin)
  })

  it('reports the source of every value', () => {
    const places = loadConfig({ file, env }).entries().filter((each) => each.place !== undefined)
    expect(places.map((each) => [each.key, each.place])).toEqual([['http.port', 'COFFER_SET_HTTP_PORT']])
    expect(loadConfig({ file }).entries().find((each) => each.key === 'http.port')?.place).toBe(`${file}:2`)
  })
})

describe('values from text', () => {
  it.each([
    ['http.port', ' 80 ', 80],
    ['uploads.maxSizeMb', '1.5', 1.5],
    ['dnsLess.isActive', 'true', true],
    ['service.serial', '42', '42'],
    ['service.name', '"quoted"', '"quoted"'],
    ['dns.domain', 'example.org', 'example.org'],
    ['dns.domain', 'null', null],
    ['invitationTokens', '[]', []],
    ['invitationTokens', 'null', null],
    ['invitationTokens', '["a", "b"]', ['a', 'b']],
    ['invitationTokens', "['a']", ['a']],
    ['invitationTokens', 'a, b', ['a', 'b']],
    ['http.trustedProxies', '10.0.0.2', ['10.0.0.2']],
    ['http.trustedProxies', 'loopback,10.0.0.0/8', ['loopback', '10.0.0.0/8']],
    ['http.trustedProxies', '', []],
    ['user-account.delete', 'adminToken,personalToken', ['adminToken', 'personalToken']],
    ['versioning.deletionMode', 'keep-authors', 'keep-authors'],
  ] as const)('%s from %j', (key, text, value) => {
    expect(loadConfig({ env: { [environmentName(key)]: text } }).get(key)).toEqual(value)
    expect(loadConfig({ flags: { [key]: text } }).get(key)).toEqual(value)
  })

  it.each([
    ['http.port', '65536', 'http.port must be a whole number from 0 to 65535, not "65536"'],
    ['http.port', 'eighty', 'http.port must be a whole number from 0 to 65535, not "eighty"'],
    ['dnsLess.isActive', 'yes', 'dnsLess.isActive must be true or false, not "yes"'],
    ['http.ip', 'example.org', 'http.ip must be an IP address of this machine, or localhost, not "example.org"'],
    ['dnsLess.publicUrl', 'ftp://x', 'dnsLess.publicUrl must be an http:// or https:// address, not "ftp://x"'],
    ['integrity.algorithm', 'crc', 'integrity.algorithm must be one of sha256, sha512, sha1, md5, not "crc"'],
  ] as const)('%s refuses %j', (key, text, message) => {
    const name = environmentName(key)
    expect(problemsOf({ env: { [name]: text } })).toEqual([`${name}: ${message}`])
  })

  it.each(['0.0.0.0/0', '::/0', '10.0.0.0/33', 'example.org', '10.0.0.1/8/8'])('http.trustedProxies refuses %s', (proxy) => {
    expect(problemsOf({ flags: { 'http.trustedProxies': [proxy] } })).toHaveLength(1)
  })

  it.each(['javascript', 'data', 'https', 'file', 'Com.Example', 'com.example.diary:', ''])('access.returnSchemes refuses %j', (scheme) => {
    expect(problemsOf({ flags: { 'access.returnSchemes': [scheme] } })).toHaveLength(1)
  })

  it('service addresses refuse javascript: URLs', () => {
    const address = 'javascript:alert(1)'
    expect(problemsOf({ flags: { 'service.home': address, 'service.support': address, 'service.terms': address } })).toHaveLength(3)
    expect(problemsOf({ flags: { 'service.terms': 'Data: they stay yours', 'service.support': 'mailto:help@example.org' } })).toEqual([])
    expect(problemsOf({ flags: { appList: { diary: { appURL: address } } } })).toHaveLength(1)
  })

  it.each(['', ' ', 'REPLACE ME', 'OVERRIDE ME', '${KEY}'])('auth.adminAccessKey refuses the placeholder %j', (value) => {
    expect(problemsOf({ flags: { 'auth.adminAccessKey': value } })).toEqual([
      'auth.adminAccessKey must be a secret text, not a placeholder',
    ])
  })
})

describe('errors in a file', () => {
  it.each([
    ['http.prot = 1', '/F:1: http.prot is not a setting; did you mean http.port?'],
    ['# a\n\n[http]\n  port = 1\n  iip = "::"', '/F:5: http.iip is not a setting; did you mean http.ip?'],
    ['[htp]\nport = 1', '/F:2: htp.port is not a setting; did you mean http.port?'],
    ['[nothing]', '/F:1: nothing is not a setting'],
    ['[http]', undefined],
    ['port = 1', '/F:1: port is not a setting; did you mean http.port?'],
    ['http = 5', '/F:1: http is a group of settings, such as http.ip'],
    ['auth = { sessionMaxAge = 5, adminAcessKey = "x" }', '/F:1: auth.adminAcessKey is not a setting; did you mean auth.adminAccessKey?'],
    ['[http]\nport = "80x"', '/F:2: http.port must be a whole number from 0 to 65535, not "80x"'],
    ['[http]\nport = 1\nport = 2', /^\/F:3: this is not TOML: /],
    ['a = "unclosed', /^\/F:1: this is not TOML: /],
    ['[dnsLess]\nisActive = false', '/F:2: dnsLess.isActive = false addresses accounts by host name and needs dns.domain'],
    ['[dnsLess]\nisActive = false\n[dns]\ndomain = "x.org"', undefined],
    [
      '[auth]\npasswordAgeMinDays = 5\npasswordAgeMaxDays = 5',
      '/F:2: auth.passwordAgeMaxDays = 5 expires passwords before they can be changed; it must be greater',
    ],
    ['[auth]\npasswordAgeMinDays = 5\npasswordAgeMaxDays = 6', undefined],
    ['[auth]\npasswordAgeMinDays = 5', undefined],
    ['[auth]\npasswordAttempts = { perIp = { maxFailures = 0 }, maxSeconds = 0 }', undefined],
    ['[auth]\npasswordPreventReuseHistoryLength = 25', /must be a whole number of passwords from 0 to 24/],
    ['[auth]\npasswordResetPageURL = "https://x.org/reset?lang=en"', undefined],
    ['[auth]\npasswordResetPageURL = "https://x.org/#reset"', /must be an http:\/\/ or https:\/\/ address/],
    ['[auth]\npasswordResetPageURL = "ftp://x.org/"', /must be an http:\/\/ or https:\/\/ address/],
  ])('%j', (text, expected) => {
    const found = problemsOf({ file: fileWith(text) }).map((each) => each.replace(/^\/\d+\.toml/, '/F'))
    if (expected === undefined) expect(found).toEqual([])
    else if (typeof expected === 'string') expect(found).toEqual([expected])
    else expect(found[0]).toMatch(expected)
  })

  it('are reported all at once', () => {
    const file = fileWith('[http]\nport = -1\nipp = 1\n')
    const env = { COFFER_SET_HTTP_PROT: '1' }
    expect(problemsOf({ file, env, flags: { 'logs.level': 'loud' } })).toHaveLength(4)
  })

  it('suggest the nearest name of an unknown variable', () => {
    expect(problemsOf({ env: { COFFER_SET_AUTH_ADMIN_ACESS_KEY: 'x' } })).toEqual([
      'COFFER_SET_AUTH_ADMIN_ACESS_KEY: this variable is not a setting; did you mean COFFER_SET_AUTH_ADMIN_ACCESS_KEY?',
    ])
  })

  it('do not contain secrets', () => {
    const file = fileWith('[auth]\nadminAccessKey = ["hush-hush"]\n')
    expect(problemsOf({ file }).join()).not.toContain('hush')
  })
})

describe('account fields', () => {
  const field = { id: 'phone', type: 'phone/string' }
  const loaded = (...fields: unknown[]): unknown =>
    loadConfig({ flags: { 'custom.systemStreams.account': fields } }).get('custom.systemStreams.account')

  it('have defaults for their flags', () => {
    expect(loaded(field)).toEqual([
      { ...field, isShown: true, isEditable: true, isIndexed: false, isUnique: false, isRequiredInValidation: false },
    ])
  })

  it('consist of the e-mail address by default', () => {
    expect(loadConfig().get('custom.systemStreams.account').map((each) => each.id)).toEqual(['email'])
  })

  it.each([
    ['unique without indexed', [{ ...field, isUnique: true }], /isUnique: a unique field must be indexed/],
    ['a duplicate id', [field, field], /\[1\]\.id: the id phone is used twice/],
    ['a duplicate id in the tree', [field, { ...field, id: 'b', children: [field] }], /\[1\]\.children\[0\]\.id: .*twice/],
    ['a built-in id', [{ ...field, id: 'language' }], /built in/],
    ['an unknown key', [{ ...field, isUniq: true }], /did you mean isUnique\?/],
    ['a wrong type', [{ ...field, isShown: 'yes' }], /isShown/],
    ['an invalid event type', [{ ...field, type: 'phone' }], /event type/],
    ['an invalid pattern', [{ ...field, regexValidation: '(' }], /regular expression/],
    ['an object instead of a list', field, /must be a list of account fields/],
  ])('refuse %s', (_, fields, message) => {
    expect(problemsOf({ flags: { 'custom.systemStreams.account': fields } }).join()).toMatch(message)
  })

  it('can be written as tables of a file', () => {
    const file = fileWith('[[custom.systemStreams.account]]\nid = "a"\ntype = "b/c"\n')
    expect(loadConfig({ file }).get('custom.systemStreams.account')).toMatchObject([{ id: 'a' }])
  })
})

describe('auth.trustedApps', () => {
  it.each([
    [{}, '*@http://localhost:*, *@http://127.0.0.1:*'],
    [{ 'dns.domain': 'x.org' }, '*@http://localhost:*, *@http://127.0.0.1:*, *@https://*.x.org'],
    [{ 'dns.domain': 'x.org', 'auth.trustedApps': 'app@https://a.{domain}' }, 'app@https://a.x.org'],
    [{ 'auth.trustedApps': 'app@https://a.{domain},b@https://b' }, 'b@https://b'],
  ])('%j', (flags, apps) => expect(loadConfig({ flags }).get('auth.trustedApps')).toBe(apps))
})

describe('nearest', () => {
  it.each([
    ['http.prot', 'http.port'],
    ['HTTP.PORT', 'http.port'],
    ['port', 'http.port'],
    ['log.level', 'logs.level'],
    ['zzzzzz', undefined],
    ['x', undefined],
  ])('%s → %s', (word, found) => expect(nearest(word, settingKeys)).toBe(found))

  it.each([
    ['', '', 0],
    ['a', '', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
  ])('%j and %j are %i edits apart', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
    expect(editDistance(b, a)).toBe(distance)
  })
})
