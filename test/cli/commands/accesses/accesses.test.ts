import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { permissionLines, permissionsOf } from '../../../../src/cli/commands/accesses/permissions.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let node: TestHome
let count = 0
/** Name of the current test's own access. */
let name: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create Heart --id heart')
  await node.json('streams create Rate --id rate --parent heart')
  await node.json('streams create Diary --id diary')
})
afterAll(() => node.remove())
beforeEach(() => {
  name = `access ${++count}`
})

type Json = Record<string, unknown>
const shared = async (...more: string[]): Promise<Json> =>
  (await node.json(['accesses', 'create', '--name', name, '--permission', 'heart:read', ...more]))['access'] as Json
const none = { permission: [], tagPermission: [], noSelfRevoke: false, noSelfAudit: false, noSecretSharing: false }

describe('permissions', () => {
  it('are parsed from options', () => {
    const given = { ...none, permission: ['heart:read', '*:create-only', ':_system:email:read'], tagPermission: ['a:b:manage'] }
    expect(permissionsOf({ ...given, noSelfRevoke: true })).toEqual([
      { streamId: 'heart', level: 'read' },
      { streamId: '*', level: 'create-only' },
      { streamId: ':_system:email', level: 'read' },
      { tag: 'a:b', level: 'manage' },
      { feature: 'selfRevoke', setting: 'forbidden' },
    ])
  })

  it.each(['heart', 'heart:see', ':read', ''])('reject the invalid value %j', (word) => {
    expect(() => permissionsOf({ ...none, permission: [word] })).toThrow('--permission takes a value like heart:read')
  })

  it('are described in words, one line for each right', () => {
    const permissions = [
      { streamId: 'heart', level: 'read' },
      { streamId: 'diary', level: 'create-only' },
      { streamId: 'rate', level: 'read' },
      { tag: 'holiday', level: 'contribute' },
      { feature: 'selfRevoke', setting: 'forbidden' },
    ]
    expect(permissionLines(permissions)).toEqual([
      'read            heart, rate',
      'add to          diary',
      'read and change events tagged holiday',
      'may not revoke itself',
    ])
  })
})

describe('accesses create', () => {
  it('prints the link and nothing else on stdout', async () => {
    const { code, out, err } = await node.run(['accesses', 'create', '--name', name, '--permission', 'heart:read', '--expires', '30d'])
    expect(code).toBe(0)
    expect(out).toMatch(/^http:\/\/[^@\s]+@127\.0\.0\.1:\d+\/ana-lovelace\/\n$/)
    expect(err).toContain('read            heart')
    expect(err).toContain('until')
    expect(err).toContain('coffer accesses revoke')
  })

  it('warns that a link to this machine opens nowhere else, unless the node has a public URL', async () => {
    const words = ['accesses', 'create', '--permission', 'heart:read', '--name']
    const local = await node.run([...words, 'local'])
    expect(local.err).toContain('! The link leads to this machine: it opens nowhere else.')
    expect(local.err).toContain('coffer config set dnsLess.publicUrl https://node.example.org')
    const reachable = await node.run([...words, 'public'], { env: { COFFER_SET_DNS_LESS_PUBLIC_URL: 'https://ana.example.org' } })
    expect([reachable.code, reachable.out]).toEqual([0, expect.stringContaining('@ana.example.org/') as string])
    expect(reachable.err).not.toContain('this machine')
  })

  it('replaces the username in the link by an alias', async () => {
    const access = await shared('--alias')
    expect(access['alias']).toMatch(/^r-[a-z0-9]{8}$/)
    expect(access['apiEndpoint']).not.toContain('ana-lovelace')
  })

  it('refuses streams that do not exist, or creates them with --create-streams', async () => {
    const line = ['accesses', 'create', '--name', name, '--permission', 'new-one:read']
    const refused = await node.run(line)
    expect([refused.code, refused.out]).toEqual([5, ''])
    expect(refused.err).toContain('There is no stream new-one')
    expect(refused.err).toContain('--create-streams')
    await node.json([...line, '--create-streams'])
    expect((await node.run('streams tree -q')).out.split('\n')).toContain('new-one')
  })

  it.each([
    [['--permission', 'heart:read'], '--name'],
    [['--name', 'x'], '--permission'],
    [['--name', 'x', '--permission', 'heart:read', '--expires', 'yesterday'], '--expires'],
    [['--name', 'x', '--permission', 'heart:read', '--expires', 'never'], '--expires'],
    [['--name', 'x', '--permission', 'heart:read', '--type', 'personal'], '--type'],
  ])('is wrong usage: %j', async (words, names) => {
    const { code, out, err } = await node.run(['accesses', 'create', ...words])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(names)
  })

  it('exits 6 for a name in use', async () => {
    await shared()
    const again = await node.run(['accesses', 'create', '--name', name, '--permission', 'heart:read'])
    expect(again.code).toBe(6)
  })

  it('reads a token from stdin', async () => {
    const line = ['accesses', 'create', '--name', name, '--permission', 'heart:read', '--token-stdin']
    const { access } = await node.json(line, { stdin: 'a-token-of-mine\n' })
    expect(access).toMatchObject({ token: 'a-token-of-mine' })
  })
})

describe('accesses list and show', () => {
  it('lists as a table without tokens, as ids and as JSON', async () => {
    const { id, token } = await shared()
    const piped = await node.run('accesses list --type shared')
    expect(piped.out).toContain(`${name}\tshared\theart:read\t`)
    expect(piped.out).not.toContain(String(token))
    expect((await node.run('accesses list -q')).out.split('\n')).toContain(id)
    const { accesses } = (await node.json('accesses list --type shared')) as { accesses: Json[] }
    expect(accesses.every((access) => access['type'] === 'shared')).toBe(true)
    expect(accesses.find((access) => access['id'] === id)).toMatchObject({ token })
  })

  it('omits expired accesses without --include-expired', async () => {
    const { id } = await shared('--expires', '0')
    expect((await node.run('accesses list -q')).out.split('\n')).not.toContain(id)
    expect((await node.run('accesses list -q --include-expired')).out.split('\n')).toContain(id)
  })

  it('shows an access by name and by id, and its link only with --reveal', async () => {
    const { id, apiEndpoint } = await shared()
    const shown = await node.run(['accesses', 'show', name])
    expect(shown.out).toContain(`${name}  ${String(id)}`)
    expect(shown.out).toContain('read            heart')
    expect(shown.out).not.toContain(String(apiEndpoint))
    expect((await node.run(['accesses', 'show', String(id)])).out).toBe(shown.out)
    expect((await node.run(['accesses', 'show', name, '--reveal'])).out).toBe(`${String(apiEndpoint)}\n`)
  })

  it('reports a name without an access and a name with several', async () => {
    const missing = await node.run(['accesses', 'show', 'nobody'])
    expect([missing.code, missing.err]).toEqual([5, expect.stringContaining('There is no access "nobody"')])
    await shared()
    await shared('--type', 'app')
    const several = await node.run(['accesses', 'show', name])
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('More than one access')])
  })
})

describe('accesses update and revoke', () => {
  it('changes the given properties, and keeps the others and the earlier versions', async () => {
    const { id, token } = await shared()
    await node.json(['accesses', 'update', name, '--permission', 'diary:contribute', '--no-self-revoke'])
    const { access } = await node.json(['accesses', 'update', name, '--expires', '90d'])
    expect(access).toMatchObject({ id: `${String(id)}:2`, token, name })
    expect((access as Json)['permissions']).toEqual([
      { streamId: 'diary', level: 'contribute' },
      { feature: 'selfRevoke', setting: 'forbidden' },
    ])
    const { access: endless } = await node.json(['accesses', 'update', name, '--expires', 'never'])
    expect(endless).not.toHaveProperty('expires')
    const { history } = (await node.json(['accesses', 'show', name, '--history'])) as { history: Json[] }
    expect(history).toHaveLength(3)
  })

  it('requires a change', async () => {
    await shared()
    expect((await node.run(['accesses', 'update', name])).code).toBe(2)
  })

  it('revokes immediately', async () => {
    const { id } = await shared()
    const { accessDeletion } = await node.json(['accesses', 'revoke', name])
    expect(accessDeletion).toEqual({ id })
    expect((await node.run(['accesses', 'revoke', name])).code).toBe(5)
  })
})

describe('accesses check', () => {
  it('reports by its exit code whether an app has the permissions', async () => {
    const line = ['accesses', 'check', name, '--permission', 'heart:read']
    const before = await node.run(line)
    expect([before.code, before.out]).toEqual([3, 'read            heart\n'])
    const { id } = await shared('--type', 'app')
    const after = await node.run(line)
    expect([after.code, after.out]).toEqual([0, `${String(id)}\n`])
    const other = await node.run(['accesses', 'check', name, '--permission', 'diary:read'])
    expect([other.code, other.err]).toEqual([3, expect.stringContaining(String(id))])
  })
})

describe('acting as an access', () => {
  it('has exactly the rights of the access', async () => {
    const { id } = await shared('--permission', 'diary:contribute')
    const as = ['--access', name]
    const seen = await node.run(['streams', 'tree', '-q', '--all', ...as])
    const own = `:_audit:access-${String(id)}`
    expect(seen.out.trim().split('\n').sort()).toEqual([own, 'diary', 'heart', 'rate'])
    expect((await node.run(['streams', 'create', 'Mine', ...as])).code).toBe(4)
    const created = await node.json(['events', 'create', '--stream', 'diary', '--type', 'note/txt', '--content', 'x', ...as])
    expect(created['event']).toMatchObject({ createdBy: id })
    const refused = await node.run(['events', 'create', '--stream', 'heart', '--type', 'note/txt', '--content', 'x', ...as])
    expect(refused.code).toBe(4)
    const info = await node.json(['api', 'getAccessInfo', '--access', String(id)])
    expect(info).toMatchObject({ name })
  })

  it('is refused for an expired and for an unknown access', async () => {
    await shared('--expires', '0')
    expect((await node.run(['events', 'list', '--access', name])).code).toBe(4)
    expect((await node.run(['events', 'list', '--access', 'nobody'])).code).toBe(5)
  })
})
