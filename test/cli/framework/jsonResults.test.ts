/**
 * Tests that output of --json is stable for scripts: results of methods match the schemas of the API, other results have
 * only the members that help names, and failures have one form.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { exitByFailure, exitCodes } from '../../../src/cli/framework/exit.js'
import { selectedFilter } from '../../../src/cli/terminal/output/filters/selectFilter.js'
import { methods } from '../../../src/server/api/methods.js'
import { schemaOf } from '../../../src/server/api/reference/jsonSchema.js'
import { startReceiver } from '../../support/services/webhookReceiver.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { testHome, type TestHome } from '../support/closedHome.js'

type Json = Record<string, unknown>

const ANA = 'ana-lovelace'
const BEN = 'ben-hopper'
let home: TestHome
let node: TestNode
/** Values for later lines: `$event` is the id that an earlier line saved as `event`. */
const saved = new Map<string, string>()

beforeAll(async () => {
  home = await testHome(ANA, BEN)
  writeFileSync(join(home.home, 'points.csv'), 'deltaTime,value\n2,72.6\n')
  node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: home.home })
  const hook = await startReceiver()
  saved.set('hook', hook.url)
  // No command creates the access request of an app.
  const response = await fetch(`${node.url}reg/access`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'heart', level: 'read', defaultName: 'Heart' }] }),
  })
  saved.set('request', String(((await response.json()) as Json)['key']))
  saved.set('points', join(home.home, 'points.csv'))
})
afterAll(async () => {
  await node.stop()
  await home.remove()
})

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

/** Returns the errors of a result against the schema of a method. */
function schemaErrors(id: string, result: Json): unknown[] {
  const known = methods.find((each) => each.id === id)
  if (known === undefined) throw new Error(`there is no method ${id}`)
  const validate = validators.get(id) ?? ajv.compile(schemaOf(known.output(), 'output'))
  validators.set(id, validate)
  return validate(result) ? [] : (validate.errors ?? [])
}

const resolved = (line: string): string[] => line.split(' ').map((word) => word.replace(/\$(\w+)/g, (_, name: string) => saved.get(name) ?? `no ${name}`).replaceAll('␣', ' '))

/** Returns the command of a line: the longest prefix that is a command. */
function commandOf(line: string): string {
  const words = line.split(' ')
  const found = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((path) => Object.hasOwn(commands, path))
  if (found === undefined) throw new Error(`there is no command in ${line}`)
  return found
}

interface Row {
  stdin?: string
  /** Expected exit code; 0 by default. */
  exit?: number
  /** Values to save for later lines, as paths into the result: `event.id`. */
  save?: Record<string, string>
}

/** Members of the results of lines: of their lists, or of the only object, or of the document. */
const members = new Map<string, string[]>()

function membersOf(result: Json): string[] {
  const values = Object.values(result)
  const items = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []))
  const [only] = values
  const objects = items.length > 0 ? items : [values.length === 1 ? only : result]
  return [...new Set(objects.flatMap((each) => (typeof each === 'object' && each !== null && !Array.isArray(each) ? Object.keys(each) : [])))]
}

const at = (result: Json, path: string): unknown => path.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], result)

/** Lines with the method whose result they print; without a method, help names the members. */
const rows: ReadonlyArray<readonly [line: string, method?: string | undefined, more?: Row]> = [
  [`streams create Weight --id weight --user ${ANA}`, 'streams.create'],
  [`streams create Body --id body --user ${ANA}`, 'streams.create'],
  [`streams update weight --name Mass --user ${ANA}`, 'streams.update'],
  [`streams move weight --to body --user ${ANA}`, 'streams.update'],
  [`streams tree --user ${ANA}`, 'streams.get'],
  [`events create --stream weight --type mass/kg --content 72.4 --user ${ANA}`, 'events.create', { save: { event: 'event.id' } }],
  [`events create --stream weight --type picture/attached --attach $points --user ${ANA}`, 'events.create', { save: { file: 'event.id' } }],
  [`events update $event --content 72.6 --user ${ANA}`, 'events.update'],
  [`events list --user ${ANA}`, 'events.get'],
  [`events show $event --user ${ANA}`, 'events.getOne'],
  [`events history $event --user ${ANA}`],
  [`events plot --type mass/kg --user ${ANA}`],
  [`events trash $event --user ${ANA}`, 'events.update'],
  [`events restore $event --dry-run --user ${ANA}`],
  [`events delete $event --accept-risk=lose-data --user ${ANA}`, 'events.delete'],
  [`events create --stream weight --type series:mass/kg --user ${ANA}`, 'events.create', { save: { series: 'event.id' } }],
  [`series add $series 0=72.4 1=72.5 --user ${ANA}`],
  [`series import $series $points --user ${ANA}`],
  [`series export $series --user ${ANA}`, 'series.get'],
  [`series show $series --user ${ANA}`],
  [`series plot $series --user ${ANA}`],
  [`accesses create --name Weber --permission weight:read --user ${ANA}`, 'accesses.create', { save: { access: 'access.id' } }],
  [`accesses list --user ${ANA}`, 'accesses.get'],
  [`accesses show $access --history --user ${ANA}`, 'accesses.getOne'],
  [`accesses update $access --name Doctor --user ${ANA}`, 'accesses.update'],
  [`accesses check heart-watch --permission weight:read --user ${ANA}`, 'accesses.checkApp', { exit: 3 }],
  [`webhooks create $hook --access Doctor --user ${ANA}`, 'webhooks.create', { save: { webhook: 'webhook.id' } }],
  [`webhooks list --user ${ANA}`, 'webhooks.get'],
  [`webhooks show $webhook --user ${ANA}`, 'webhooks.getOne'],
  [`webhooks activate $webhook --user ${ANA}`, 'webhooks.update'],
  [`webhooks test $webhook --user ${ANA}`, 'webhooks.test'],
  [`webhooks delete $webhook --yes --user ${ANA}`, 'webhooks.delete'],
  [`secrets create --title WiFi --text --ttl 1h --user ${ANA}`, 'sharedSecrets.create', { stdin: 'correct horse', save: { key: 'sharedSecret.key' } }],
  [`secrets status --user ${ANA}`, 'sharedSecrets.getOne', { stdin: '$key' }],
  [`secrets redeem --user ${ANA}`, 'sharedSecrets.retrieve', { stdin: '$key' }],
  [`profile set {"theme":"dark"} --set private --user ${ANA}`, 'profile.updatePrivate'],
  [`profile show --set private --user ${ANA}`, 'profile.getPrivate'],
  [`audit list --user ${ANA}`, 'events.get'],
  [`delegations invite ${BEN} --user ${ANA}`, 'delegations.requestAttach'],
  [`delegations refuse ${ANA} --user ${BEN}`, 'delegations.refuseAttach'],
  [`delegations invite ${BEN} --user ${ANA}`, 'delegations.requestAttach'],
  [`delegations cancel ${BEN} --user ${ANA}`, 'delegations.cancelInvite'],
  [`delegations invite ${BEN} --user ${ANA}`, 'delegations.requestAttach'],
  [`delegations accept ${ANA} --user ${BEN}`, 'delegations.acceptAttach'],
  [`delegations list --user ${ANA}`],
  [`delegations token ${ANA} --user ${BEN}`, 'delegations.getToken'],
  [`delegations detach ${BEN} --user ${ANA} --accept-risk=cut-off-delegate`, 'delegations.detachDelegate'],
  [`delegations create-account granny-may --user ${BEN}`, 'delegations.createAccount'],
  [`mfa status --user ${ANA}`],
  [`mfa enable --user ${ANA}`, 'mfa.activate'],
  [`mfa disable --user ${ANA} --yes`],
  [`consents links create --title Study --description D --consent C --permission weight:read --user ${ANA}`, 'events.create', { save: { link: 'event.content.capabilityUrl' } }],
  [`consents links list --user ${ANA}`],
  [`consents accept $link --yes --user ${BEN}`, 'events.getOne'],
  [`consents list --user ${BEN}`, undefined, { save: { consent: 'consents.0.id' } }],
  [`consents show $consent --user ${BEN}`],
  [`consents revoke $consent --user ${BEN} --yes`, 'events.getOne'],
  ['requests list'],
  [`requests show $request --user ${ANA}`],
  [`requests approve $request --user ${ANA} --yes`],
  ['users list'],
  [`users show ${ANA}`],
  [`users usage ${ANA}`],
  [`users set-quota ${ANA} --records 100MB`],
  [`users set-email ${ANA} ana@elsewhere.example`, 'account.update'],
  [`users rename ${BEN} ben-franklin`, 'account.get'],
  ['users set-password ben-franklin --password-stdin', undefined, { stdin: 'another horse' }],
  ['sessions list'],
  [`sessions end --all --user ${ANA}`],
  ['invitations create', undefined, { save: { invitation: 'invitations.0.id' } }],
  ['invitations list'],
  ['invitations revoke $invitation'],
  ['dns set www --a 192.0.2.1'],
  ['dns list'],
  ['dns unset www'],
  ['apps add heart-watch --name Heart'],
  ['apps update heart-watch --name Hearts'],
  ['cores list'],
  ['cores show single'],
  ['cores tokens'],
  ['platform status'],
  ['platform check', 'system.checkPlatformIntegrity'],
  ['apps list'],
  ['apps remove heart-watch'],
  ['oauth clients create --client-id heart-lab --name Lab --redirect-uri https://lab.example/cb --confidential'],
  ['oauth clients list'],
  ['oauth clients show heart-lab'],
  ['oauth clients update heart-lab --name Labs'],
  ['oauth clients rotate-secret heart-lab'],
  [`oauth offers publish heart-lab weight --title T --description D --consent C --permission weight:read --user ${ANA}`],
  ['oauth offers list'],
  ['oauth offers show heart-lab weight'],
  ['oauth tokens list'],
  ['oauth keys list'],
  ['oauth clients revoke heart-lab --yes'],
  ['mail templates'],
  ['mail show welcome-email --lang en'],
  ['mail preview welcome-email --lang en'],
  ['sync status'],
  ['sync peers list'],
  ['sync now'],
  ['sync conflicts'],
  ['sync history'],
  ['sync verify'],
  ['status'],
  ['wait --for ready,synced'],
  ['doctor settings'],
  ['store stats'],
  ['store check'],
  ['store migrate --dry-run'],
  ['config list'],
  ['config get http.port'],
  ['config path'],
  [`users delete granny-may --accept-risk=lose-data`, 'auth.delete'],
  [`streams trash weight --user ${ANA}`, 'streams.update'],
  [`streams delete body --user ${ANA} --delete-events --accept-risk=lose-data`, 'streams.delete'],
  [`accesses revoke $access --user ${ANA}`, 'accesses.delete'],
]

/** Runs a line, saves values for later lines, and returns the errors of the result. */
async function errorsOf([line, method, { stdin, exit = 0, save = {} } = {}]: (typeof rows)[number]): Promise<unknown[]> {
  const input = stdin === undefined ? {} : { stdin: resolved(stdin).join(' ') }
  const { code, out, err } = await home.run([...resolved(line), '--json'], input)
  if (code !== exit || err !== '') return [code, err]
  const result = JSON.parse(out) as Json
  for (const [name, path] of Object.entries(save)) saved.set(name, String(at(result, path)))
  members.set(line, membersOf(result))
  if (method !== undefined) return schemaErrors(method, result)
  const declared = (await commands[commandOf(line)]?.())?.json ?? ''
  return Object.keys(result).filter((key) => !declared.includes(`"${key}"`))
}

it('results match the schemas of the API, or have only members that help names', async () => {
  const wrong = []
  for (const row of rows) {
    const errors = await errorsOf(row)
    if (errors.length > 0) wrong.push({ line: row[0], errors })
  }
  expect(wrong).toEqual([])
})

it('members of results are accepted by --fields', async () => {
  const refused: unknown[] = []
  for (const [line, fields] of members) {
    const load = commands[commandOf(line)]
    if (load === undefined || fields.length === 0) continue
    const flags = { json: false, quiet: false, verbose: false, color: false, input: false, fields }
    await selectedFilter(await load(), flags).catch((error: unknown) => refused.push({ line, error: String(error) }))
  }
  expect(refused).toEqual([])
  expect(members.size).toBeGreaterThan(50)
})

it('every command that prints the result of a method is tested above', async () => {
  // The tests delegations.test.ts and mfa.test.ts cover these.
  const elsewhere = ['mfa confirm', 'delegations dismiss']
  const tried = new Set(rows.map(([line]) => commandOf(line)))
  const missing = []
  for (const [path, load] of Object.entries(commands)) {
    if (/results? of \w+\.\w+/.test((await load()).json ?? '') && !tried.has(path)) missing.push(path)
  }
  expect(missing).toEqual(elsewhere)
})

const failures: ReadonlyArray<readonly [line: string, id: string, stdin?: string]> = [
  [`streams update nothing --name N --user ${ANA}`, 'unknown-resource'],
  [`streams create N --parent nothing --user ${ANA}`, 'unknown-referenced-resource'],
  [`events show nothing --user ${ANA}`, 'unknown-resource'],
  [`events list --stream nothing --user ${ANA}`, 'unknown-referenced-resource'],
  [`events create --stream nothing --type mass/kg --content 1 --user ${ANA}`, 'unknown-referenced-resource'],
  [`events create --stream nothing --type nonsense --user ${ANA}`, 'wrong-usage'],
  ['events list --user nobody-here', 'unknown-user'],
  ['events list --nonsense', 'wrong-usage'],
  ['nonsense', 'wrong-usage'],
  ['events list', 'wrong-usage'],
  [`series show nothing --user ${ANA}`, 'unknown-resource'],
  [`accesses show nothing --user ${ANA}`, 'not-found'],
  [`webhooks show nothing --user ${ANA}`, 'not-found'],
  [`secrets redeem --user ${ANA}`, 'unknown-resource', 'k'],
  [`delegations accept nobody-here --user ${ANA}`, 'delegation-not-found'],
  [`delegations invite ${ANA} --user ${ANA}`, 'delegation-self-not-allowed'],
  [`consents show nothing --user ${ANA}`, 'not-found'],
  ['requests show nothing', 'unknown-access-key'],
  [`users create ${ANA} --email a@b.example --password-stdin`, 'item-already-exists', 'long enough'],
  ['users create x --email a@b.example --password-stdin', 'invalid-parameters-format', 'long enough'],
  ['users show nobody-here', 'unknown-user'],
  ['sessions end nothing', 'not-found'],
  ['invitations revoke nothing', 'unknown-resource'],
  ['apps remove nothing', 'unknown-resource'],
  ['oauth clients show nothing', 'unknown-resource'],
  ['sync unpair nobody', 'unknown-resource'],
  ['mail show nothing --lang en', 'not-found'],
  ['config get nothing', 'wrong-usage'],
  ['api nothing.get', 'invalid-method'],
  [`api events.getOne {"id":"nothing"} --user ${ANA}`, 'unknown-resource'],
  ['restore /nowhere/at/all', 'conflict'],
]

it('failures are printed as one line on stderr, with the exit code of their id', async () => {
  const wrong = []
  for (const [line, id, stdin] of failures) {
    const { code, out, err } = await home.run([...resolved(line), '--json'], stdin === undefined ? {} : { stdin })
    const { error } = JSON.parse(err) as { error: Json }
    const exit = Object.entries(exitByFailure).find(([each]) => each === error['id'])?.[1] ?? exitCodes.find((each) => each.id === error['id'])?.code
    const isWellFormed = typeof error['message'] === 'string' && Object.keys(error).every((key) => ['id', 'message', 'data'].includes(key))
    if (out !== '' || code !== exit || error['id'] !== id || !isWellFormed || err.trimEnd().includes('\n')) wrong.push({ line, code, out, error })
  }
  expect(wrong).toEqual([])
})
