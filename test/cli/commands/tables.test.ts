/**
 * Tests that the table of every listing fits a terminal of 80 columns with long names, addresses and ids, and that ids which people
 * paste are complete. Commands run against a stub of the node.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Command, Context } from '../../../src/cli/command.js'
import { allCommands } from '../../../src/cli/commands.js'
import type { NodeClient } from '../../../src/cli/client/nodeClient.js'
import { eventColumns } from '../../../src/cli/commands/events/import/preview.js'
import { parseCommandLine } from '../../../src/cli/framework/parse.js'
import { nodesFile, pathsOf } from '../../../src/cli/framework/paths.js'
import { outputTo } from '../../../src/cli/terminal/output/out.js'
import { alignedTable } from '../../../src/cli/terminal/output/table.js'
import { columnsOf } from '../../../src/cli/terminal/output/text.js'
import { localZone } from '../../../src/cli/terminal/input/timeZone.js'
import { screen } from '../support/testTerminal.js'

const WIDTH = 80
const ID = 'ckq2v8x0a0000abcd1234efgh'
const USER = 'ana-lovelace-of-marylebone'
const CLIENT = 'heart-lab-of-mathematics'
const EMAIL = 'ana-lovelace-of-marylebone@mathematics.example.org'
const URL_ = 'https://lab.mathematics.example.org/notifications/changes'
const NAME = 'Blood pressure, morning and evening, at rest'
const KEY = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'
const OLD = 1_700_000_000
const FUTURE = 4_000_000_000
const RECENT = Date.now() / 1000 - 55 * 60

const consent = { kind: 'received', id: ID, status: 'invalidated', title: NAME, time: OLD, counterparty: { username: USER, host: 'mathematics.example.org' }, capabilityId: ID, expires: FUTURE, joined: 1234, scopeStreamId: ':_cmc:apps:chat' }
const message = { id: ID, time: OLD, content: { content: `${NAME}, ${NAME} ${'x'.repeat(100)}`, from: { username: USER, host: 'mathematics.example.org' } } }
vi.mock('../../../src/cli/commands/consents/shared/load.js', () => ({
  CONSENT_ID: 'Id',
  loadConsents: async () => ({ all: [{ consent, event: {} }], accesses: [] }),
  loadConsent: async () => ({ consent, event: {}, all: [], accesses: [] }),
}))
vi.mock(import('../../../src/cli/commands/consents/shared/messages.js'), async (original) => ({
  ...(await original()),
  messagesOf: async () => [message],
}))
vi.mock('../../../src/store/backup/archive.js', () => ({
  archivesIn: async () => [
    { name: '2026-11-21T10-02-03.456Z-everything', kind: 'account', made: OLD, node: ID, position: { commit: 1 }, counts: { users: 12_345, events: 123_456_789 }, storedBytes: 1e12, newBytes: 1e11, sealing: {} },
  ],
}))

const folder = mkdtempSync(join(tmpdir(), 'coffer-tables-'))
const env = { COFFER_HOME: join(folder, 'a-home'), XDG_CONFIG_HOME: join(folder, 'config') }
mkdirSync(dirname(nodesFile(env)), { recursive: true })
writeFileSync(nodesFile(env), JSON.stringify({ inUse: CLIENT, nodes: { [CLIENT]: { url: URL_ } } }))
afterAll(() => rmSync(folder, { recursive: true }))

const access = { id: ID, name: NAME, deviceName: NAME, type: 'personal', permissions: [{ streamId: 'blood-pressure-at-rest', level: 'contribute' }, { streamId: ID, level: 'manage' }], lastUsed: OLD, expires: FUTURE }
const peer = { id: ID, name: NAME, user: USER, state: 'in-sync', behind: 1_234_567, ahead: 1_234_567, lastContact: OLD, scope: 'share', streams: [ID, ID], direction: 'receive', reason: NAME, refused: 12, putAside: 3, filesPendingCount: 35, filesPendingThere: 12, filesPending: 350_000, address: URL_, every: 3600 }
const other = { ...peer, user: 'ben-hopper', name: 'laptop' }
const peers = { peers: [peer, other], node: ID, fingerprint: KEY }
const stream = (id: string, children: object[] = []): object => ({ id, name: NAME, parentId: null, trashed: true, children })
const streams = [stream(ID, [stream(`${ID.slice(0, -1)}1`, [stream(`${ID.slice(0, -1)}2`)])])]
const sums = { events: { own: 1_234_567, total: 12_345_678 }, last: { id: ID, type: 'blood-pressure/mmhg-bpm', time: OLD, duration: 0, content: NAME }, recent: [1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6] }
const auditRecord = { id: ID, time: OLD, type: 'error/pryv', streamIds: [`:_audit:access-${ID}`, ':_audit:action-delegations.listControlled'], content: { id: 'delegation-genuine-login-required', source: { name: 'http', ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348' } } }
const photo = { id: ID, time: OLD, type: 'blood-pressure/mmhg-bpm', streamIds: [ID, 'diary'], content: NAME, attachments: [{ fileName: `${NAME}.jpg` }] }

interface Listing {
  /** File of the command, in src/cli/commands. */
  file: string
  line: string
  /** Results of the methods that it calls. */
  results?: Record<string, unknown>
  /** Texts that must be complete. */
  whole?: readonly string[]
  /** True to run it as for a remote node. */
  isRemote?: true
}

const as = `--user ${USER}`
const listings: readonly Listing[] = [
  { file: 'oauth/clientsList', line: 'oauth clients list', results: { 'oauth.clients.list': { clients: [{ client_id: CLIENT, client_name: NAME, has_secret: true, keys: [{}], cmc_offers: { [NAME]: {}, other: {} }, username: USER }] } }, whole: [CLIENT] },
  { file: 'oauth/tokens', line: 'oauth tokens list', results: { 'oauth.tokens.list': { tokens: [{ id: ID, clientId: CLIENT, username: USER, lastUsed: OLD, expires: FUTURE, jkt: KEY }] } }, whole: [ID, CLIENT] },
  { file: 'oauth/offersList', line: 'oauth offers list', results: { 'oauth.offers.list': { offers: [{ client_id: CLIENT, name: 'blood-pressure-at-rest', state: 'invalidated', username: USER, expires: FUTURE }] } }, whole: [CLIENT, 'blood-pressure-at-rest'] },
  { file: 'oauth/keys', line: 'oauth keys list', results: { 'oauth.keys.list': { keys: [{ jkt: KEY, clientId: CLIENT, firstSeenAt: OLD * 1000, lastSeenAt: OLD * 1000, revokedAt: OLD * 1000 }] } }, whole: [KEY] },
  { file: 'users/list', line: 'users list', results: { 'users.list': { users: [{ username: USER, id: ID, unnamed: false, email: EMAIL, streams: 123_456, storageUsed: { dbDocuments: 1e12, attachedFiles: 1e12 }, mfa: 'totp', lastUsed: OLD, relocated: { url: URL_ }, formerUsernames: [] }] } }, whole: [USER] },
  { file: 'config/list', line: 'config list --origin' },
  { file: 'config/path', line: 'config path' },
  { file: 'accesses/list', line: `accesses list ${as}`, results: { 'accesses.get': { accesses: [access, { ...access, lastUsed: RECENT, expires: undefined }, { ...access, clientData: { cmc: { role: 'counterparty', counterparty: { username: USER, host: 'mathematics.example.org' } } } }] } }, whole: [ID] },
  { file: 'profile/show', line: `profile show ${as}`, results: { 'profile.get': { profile: { description: NAME.repeat(3), photo: { url: URL_ } } } }, whole: ['description'] },
  { file: 'delegations/list', line: `delegations list ${as}`, results: { 'delegations.listDelegates': { delegates: [{ delegate: { username: USER }, status: 'stale', activatedAt: OLD, lastTokenIssuedAt: OLD, expiresAt: FUTURE }] }, 'delegations.listControlled': { controlled: [] } }, whole: [USER] },
  { file: 'nodes/list', line: 'nodes list', whole: [CLIENT] },
  { file: 'audit/list', line: `audit list ${as}`, results: { 'events.get': { events: [auditRecord] }, 'audit.retention': { since: null } }, whole: [ID] },
  { file: 'mail/templates', line: 'mail templates', results: { 'system.mailTemplates': { templates: [{ type: 'delegation-genuine-login-required', lang: 'fr', part: 'html', length: 12_345 }] } }, whole: ['delegation-genuine-login-required'] },
  { file: 'events/list', line: `events list ${as}`, results: { 'events.get': { events: [photo, { ...photo, time: RECENT, attachments: [], content: { systolic: 120, diastolic: 80, rate: 61 } }] } }, whole: [ID] },
  { file: 'sessions/list', line: 'sessions list', results: { 'sessions.list': { sessions: [{ id: ID, username: USER, app: NAME, since: OLD, lastUsed: OLD, expires: FUTURE }] } }, whole: [ID, USER] },
  { file: 'dns/list', line: 'dns list', results: { 'dns.list': { domain: 'example.org', active: true, root: {}, names: [{ subdomain: '_acme-challenge.lab', records: { txt: [KEY + KEY] }, from: 'settings' }] } }, whole: ['_acme-challenge.lab'] },
  { file: 'consents/list', line: `consents list ${as}`, whole: [ID] },
  { file: 'consents/linksList', line: `consents links list ${as}`, whole: [ID] },
  { file: 'consents/chat', line: `consents chat ${ID} ${as}`, whole: ['Blood', 'rest'] },
  { file: 'requests/list', line: 'requests list', results: { 'requests.list': { requests: [{ key: 'mJqRdQ0xZ2c5wEo7', requestingAppId: NAME, created: OLD, expires: FUTURE, requestedPermissions: [1, 2, 3] }] } }, whole: ['mJqRdQ0xZ2c5wEo7'] },
  { file: 'sync/status', line: 'sync status', results: { 'sync.peers': peers } },
  { file: 'sync/peersList', line: 'sync peers list', results: { 'sync.peers': peers } },
  { file: 'sync/now', line: 'sync now', results: { 'sync.now': { peers: [{ ...peer, sent: 1_234_567, received: 1_234_567 }] } } },
  { file: 'sync/history', line: 'sync history', results: { 'sync.history': { contacts: [{ peer: NAME, user: USER, began: OLD, ended: OLD + 1e6, sent: 1_234_567, received: 1_234_567, bytesSent: 1e12, bytesReceived: 1, result: NAME, attempts: 1234 }] } } },
  { file: 'store/stats', line: 'store stats', isRemote: true, results: { 'store.stats': { folder: '/srv', format: 1, created: OLD, commits: 1, bytes: { store: 1, files: 1 }, accounts: [{ username: USER, entries: 1e9, bytes: 1e12, events: 1, files: { count: 1e9, bytes: 1e12 }, families: [{ family: NAME.repeat(2), entries: 1e9, bytes: 1e12 }] }] }, 'store.progress': {} } },
  { file: 'apps/list', line: 'apps list', results: { 'apps.list': { apps: [{ id: CLIENT, displayName: { en: NAME }, category: 'mathematics', active: true, appURL: URL_ }] } }, whole: [CLIENT] },
  { file: 'webhooks/list', line: `webhooks list ${as}`, results: { 'webhooks.get': { webhooks: [{ id: ID, accessId: ID, url: URL_, state: 'active', currentRetries: 12, maxRetries: 15, runCount: 123_456, failCount: 123_456, lastRun: { status: 0, timestamp: OLD } }] }, 'accesses.get': { accesses: [access] } }, whole: [ID] },
  { file: 'backup/list', line: 'backup list --to /mnt', whole: ['2026-11-21T10-02-03.456Z-everything'] },
  { file: 'certs/list', line: 'certs list', results: { 'system.certs': { certs: [{ hostname: `${'lab.'.repeat(15)}example.org`, issuedAt: OLD * 1000, expiresAt: FUTURE * 1000, daysUntilExpiry: 365 }] }, 'certs.problem': { isOn: true, fault: null } } },
  { file: 'invitations/list', line: 'invitations list', results: { 'invitations.list': { invitations: [{ id: KEY, createdAt: OLD * 1000, description: NAME, consumedAt: OLD * 1000, consumedBy: USER }], required: true } }, whole: [KEY.slice(0, 12)] },
  { file: 'streams/tree', line: `streams tree --all ${as}`, results: { 'streams.get': { streams } }, whole: [ID] },
  { file: 'streams/tree', line: `streams tree --all --counts --latest ${as}`, results: { 'streams.get': { streams }, 'streams.sums': { streams: [sums, sums, sums] } }, whole: [ID] },
  { file: 'sso/list', line: 'sso list', results: { 'sso.list': { identities: [{ username: USER, provider: 'university', email: EMAIL, since: OLD }] } }, whole: [USER] },
  { file: 'sso/providers', line: 'sso providers', results: { 'sso.providers': { enabled: true, lacks: null, landing: null, providers: [{ id: 'university', label: NAME, issuer: URL_, redirectUri: 'https://ana.example.org/reg/sso/university/callback' }] } }, whole: ['https://ana.example.org/reg/sso/university/callback'] },
  {
    file: 'cores/list',
    line: 'cores list',
    results: { 'cores.list': { cores: [{ id: 'ckq2v8x0a0000abc', url: URL_, ip: null, ipv6: null, hosting: NAME, available: true, state: 'active', isLive: true, version: '0.1.0', added: 0, userCount: 1_234_567 }], differingSettings: [] } },
  },
  {
    file: 'cores/tokens',
    line: 'cores tokens',
    results: { 'cores.tokens': { tokens: [{ core: 'ckq2v8x0a0000abc', state: 'consumed', issuedAt: 1.7e9, expiresAt: 1.7e9, consumedAt: 1.7e9, consumerIp: '2001:db8:1234:5678:9abc:def0:1234:5678' }] } },
  },
  {
    file: 'series/show',
    line: `series show ${ID} ${as}`,
    results: {
      'series.about': {
        id: ID, type: 'series:x/y', time: OLD, shape: {}, fields: ['latitude', 'longitude', 'altitude', 'speed', 'note'], count: 1, first: 0, final: 1,
        points: [[1234.567, 46.123456789012, 7.123456789012, 1234.56789012345, 12.345678901234, NAME]],
      },
    },
  },
]

/** Files with a table that no line above shows, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  'events/history': 'tables in pipes only',
}

const all = await allCommands()

/** Runs a command on a terminal of 80 columns and returns its lines. */
async function linesOf({ line, results = {}, isRemote }: Listing): Promise<string[]> {
  const parsed = parseCommandLine(line.split(' '), all)
  if (parsed.kind !== 'run') throw new Error(`${line} runs nothing`)
  const shown = screen({ stdout: true, columns: WIDTH })
  const terminal = shown.terminal({ color: false, env })
  const client = {
    kind: 'socket',
    call: async (method: string) => results[method] ?? Promise.reject(new Error(`${line} calls ${method}`)),
    close: async () => undefined,
  } as unknown as NodeClient
  const paths = pathsOf({ env })
  const context = {
    terminal,
    out: outputTo(terminal, { json: false, quiet: false }),
    home: paths.home,
    paths,
    place: paths.home,
    flags: parsed.flags,
    env,
    now: () => Date.now() / 1000,
    commandFor: (...words: string[]) => `coffer ${words.join(' ')}`,
    connect: async () => client,
    connectToAccounts: async () => client,
    ...(isRemote === true ? { remote: {} } : {}),
  } as unknown as Context
  await (parsed.command as Command).run(context, parsed.typed)
  return shown.out().split('\n')
}

describe('a table on a terminal of 80 columns', () => {
  it.each(listings.map((each) => [each.line, each] as const))('fits: coffer %s', async (_, listing) => {
    const lines = await linesOf(listing)
    // A folder must be complete to be pasted, however long it is.
    const tooLong = lines.filter((line) => columnsOf(line) > WIDTH && listing.file !== 'config/path')
    expect(tooLong).toEqual([])
    expect(lines.length).toBeGreaterThan(2)
    for (const text of listing.whole ?? []) expect(lines.join('\n')).toContain(text)
  })

  it('fits: the preview of an import', () => {
    const rows = [{ line: 123_456, event: { time: OLD, content: { note: NAME }, streamIds: [ID, ID], type: 'blood-pressure/mmhg-bpm' } }]
    for (const line of alignedTable(eventColumns(localZone()), rows as never, WIDTH)) expect(columnsOf(line)).toBeLessThanOrEqual(WIDTH)
  })

  it('is tested for every command with a table', () => {
    const root = fileURLToPath(new URL('../../../src/cli/commands/', import.meta.url))
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const withTable = files.filter((file) => /\bout\.list\(|\balignedTable\(/.test(readFileSync(join(root, file), 'utf8'))).map((file) => file.replace(/\.ts$/, ''))
    expect(withTable.filter((file) => !(file in elsewhere) && !listings.some((listing) => listing.file === file))).toEqual([])
  })
})
