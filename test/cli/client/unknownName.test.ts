import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nearestNames } from '../../../src/server/base/didYouMean.js'
import { startTestNode } from '../../support/nodes/node.js'
import { testHome, type TestHome } from '../support/closedHome.js'

describe('the nearest names', () => {
  it.each([
    ['hart', ['heart', 'diary'], ['heart']],
    ['WEIGHT', ['weight'], ['weight']],
    ['wei', ['weight', 'wind'], ['weight']],
    ['ab', ['cd', 'abc'], ['abc']],
    ['x', ['y', 'z'], []],
    ['heart', ['heart-rate', 'heard', 'hearts', 'hart', 'other'], ['heart-rate', 'heard', 'hearts']],
  ])('of %s among %j are %j', (word, candidates, near) => expect(nearestNames(word, candidates)).toEqual(near))

  it('are within the given number of typing errors', () => {
    expect(nearestNames('ckq2v8x0a0000', ['ckq2v8x0b1111'], { distance: 2 })).toEqual([])
    expect(nearestNames('ckq2v8x0a0000', ['ckq2v8x0a0001'], { distance: 2 })).toEqual(['ckq2v8x0a0001'])
  })
})

describe('a name that does not exist', () => {
  let node: TestHome
  let event = ''
  let webhook = ''

  beforeAll(async () => {
    node = await testHome('ana-lovelace')
    await node.json('streams create Heart --id heart')
    await node.json('streams create Diary --id d1')
    event = String(((await node.json('events create --stream heart --type mass/kg --content 62'))['event'] as { id: string }).id)
    await node.json(['accesses', 'create', '--name', 'Dr Weber', '--permission', 'heart:read'])
    await node.json('accesses create --name lab --type app --permission heart:manage')
    webhook = String(((await node.json('webhooks create https://lab.example.org/changes --access lab'))['webhook'] as { id: string }).id)
    await node.json('oauth clients create --name Lab --client-id heart-lab --redirect-uri https://lab.example/cb')
    await node.json('apps add heart-watch --name Watch')
  })
  afterAll(() => node.remove())

  const stream = ['Did you mean heart?', 'coffer streams tree']
  const access = ['Did you mean lab?', 'coffer accesses list']
  it.each<[string, string[]]>([
    ['users show ana-lovelac', ['Did you mean ana-lovelace?', 'coffer users list']],
    ['users delete bob', ['Existing accounts: ana-lovelace', 'coffer users list']],
    ['users use ana', ['Did you mean ana-lovelace?', 'coffer users list']],
    ['users rename ana-lovelac ana-byron', ['Did you mean ana-lovelace?']],
    ['users usage ana-lovelac', ['Did you mean ana-lovelace?']],
    ['events list --user ana-lovelac', ['Did you mean ana-lovelace?', 'coffer users list']],
    ['streams tree hart', stream],
    ['streams tree Diry', ['Did you mean d1 (Diary)?']],
    ['streams tree zzzzzzzz', ['Existing streams: d1, heart', 'coffer streams tree']],
    ['streams update hart --name x', stream],
    ['streams trash hart', stream],
    ['streams move hart --to-root', stream],
    ['streams move d1 --to hart', stream],
    ['streams delete hart', stream],
    ['streams create Rate --parent hart', stream],
    ['events list --stream hart', stream],
    ['events list --stream hart --user ana-lovelace', ['Did you mean heart?', 'coffer streams tree --user ana-lovelace']],
    ['events create --stream hart --type mass/kg --content 1', stream],
    ['events export --stream hart', stream],
    ['events plot --stream hart --type mass/kg', stream],
    ['accesses create --name x --permission hart:read', [...stream, '--create-streams']],
    ['accesses show labb', access],
    ['accesses update labb --name x', access],
    ['accesses revoke labb', access],
    ['accesses show dr-weber', [`Did you mean 'Dr Weber'?`]],
    ['events list --access labb', access],
    ['oauth clients show heart-lb', ['Did you mean heart-lab?', 'coffer oauth clients list']],
    ['apps remove heart-wach', ['Did you mean heart-watch?', 'coffer apps list']],
    ['webhooks show nothing', ['coffer webhooks list']],
    ['events show nothing', ['coffer events list']],
    ['sessions end nothing', ['coffer sessions list']],
    ['invitations revoke nothing', ['coffer invitations list']],
    ['consents show nothing', ['coffer consents list']],
    ['sync peers show nothing', ['coffer sync peers list']],
    ['mail show welcome-mail', ['Did you mean welcome-email?']],
    ['delegations detach ben-turing', ['coffer delegations list']],
    ['dns unset ww', ['coffer dns list']],
    ['oauth tokens list --client heart-lb', ['Did you mean heart-lab?', 'coffer oauth clients list']],
    ['oauth tokens list --user ana-lovelac', ['Did you mean ana-lovelace?']],
  ])('exits 5 and names the next step: coffer %s', async (line, steps) => {
    const { code, out, err } = await node.run(line)
    expect([code, out]).toEqual([5, ''])
    for (const step of steps) expect(err).toContain(step)
    const marks = err.split('\n').filter((each) => each.startsWith('  → '))
    expect(new Set(marks).size).toBe(marks.length)
  })

  it.each(['show', 'update', 'trash', 'delete', 'history', 'restore'])('suggests the id of an event: coffer events %s', async (verb) => {
    const { code, err } = await node.run(['events', verb, event.slice(0, -1), ...(verb === 'update' ? ['--content', '1'] : [])])
    expect(code).toBe(5)
    expect(err).toContain(`Did you mean ${event}?`)
  })

  it.each(['show', 'activate', 'test', 'delete'])('suggests the id of a webhook: coffer webhooks %s', async (verb) => {
    const { code, err } = await node.run(['webhooks', verb, webhook.slice(0, -1)])
    expect(code).toBe(5)
    expect(err).toContain(`Did you mean ${webhook}?`)
  })

  it('has the next steps in the hint of --json', async () => {
    const { err } = await node.run('accesses show labb --json')
    const { error } = JSON.parse(err) as { error: { id: string; data: { hint: string } } }
    expect(error.id).toBe('not-found')
    expect(error.data.hint).toContain('Did you mean lab?')
  })

  it('is searched for on the running node by a command that connects by itself', async () => {
    const running = await startTestNode({}, { home: node.home })
    try {
      const { code, err } = await node.run('store stats --user ana-lovelac')
      expect([code, err]).toEqual([5, expect.stringContaining('Did you mean ana-lovelace?') as string])
    } finally {
      await running.stop()
    }
  })

  it('is searched for in all accounts when several exist', async () => {
    const both = await testHome('ana-lovelace', 'ben-hopper')
    try {
      await both.json('streams create Heart --id heart --user ben-hopper')
      const { event: made } = await both.json('events create --stream heart --type mass/kg --content 1 --user ben-hopper')
      const id = String((made as { id: string }).id)
      const { code, err } = await both.run(['events', 'show', id.slice(0, -1)])
      expect(code).toBe(5)
      expect(err).toContain(`Did you mean ${id}?`)
    } finally {
      await both.remove()
    }
  })
})
