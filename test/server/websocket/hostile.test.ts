/** Invalid messages over a websocket: the node answers, refuses or disconnects, and continues to serve others. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, type TestSocket } from '../../support/http/socket.js'
import { frame, stalledSocket } from '../../support/http/slowReaders.js'

type Json = Record<string, unknown>

let node: TestNode
let token: string
let witness: TestSocket
beforeAll(async () => {
  node = await startTestNode({ 'limits.json.maxSizeMb': 1 })
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
  witness = await connectSocket(node, 'alice', { token })
})
afterAll(async () => {
  witness.close()
  await node.stop()
})
// Other clients are served, and nothing unexpected is logged.
afterEach(async () => {
  expect((await witness.call('getAccessInfo', {})).error).toBeNull()
  expect(node.logged.filter((line) => /unexpected|error/i.test(line))).toEqual([])
})

const idOf = (error: Json | null): unknown => (error?.['error'] as Json | undefined)?.['id']

/** Opens an engine.io session over long-polling with plain requests. */
async function rawSession(namespace = '/alice', query = `&auth=${token}`): Promise<{
  send(packets: string): Promise<number>
  receive(): Promise<string>
}> {
  const address = `${node.url}socket.io/?EIO=4&transport=polling${query}`
  const opened = await (await fetch(address)).text()
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string }
  const send = async (packets: string): Promise<number> =>
    (await fetch(`${address}&sid=${sid}`, { method: 'POST', body: packets, headers: { 'content-type': 'text/plain' } })).status
  const receive = async (): Promise<string> => (await fetch(`${address}&sid=${sid}`)).text()
  await send(`40${namespace},`)
  expect(await receive()).toMatch(/^40/)
  return { send, receive }
}

describe('parameters', () => {
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  it.each<[string, unknown, string]>([
    ['binary', Buffer.from('binary'), 'invalid-parameters-format'],
    ['binary inside', { streamIds: ['diary'], type: 'note/txt', content: { a: [new Uint8Array(5)] } }, 'invalid-parameters-format'],
    ['nested too deeply', { content: deep(200) }, 'invalid-request-structure'],
    ['with the key __proto__', JSON.parse('{"__proto__":{"streamIds":["diary"]},"type":"note/txt"}'), 'invalid-parameters-format'],
    ['as a list', [1, 2], 'invalid-parameters-format'],
    ['true', true, 'invalid-parameters-format'],
  ])('%s are refused', async (_, params, id) => {
    expect(idOf((await witness.call('events.create', params)).error)).toBe(id)
  })

  it('with a number out of range are refused', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.create",{"streamIds":["diary"],"type":"mass/kg","content":1e999}]`)
    expect(await receive()).toContain('invalid-request-structure')
  })

  it('that are not JSON close the connection', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.create",{]`)
    expect(await receive()).toMatch(/^[16]|Session ID unknown/)
  })

  it('nested 400,000 levels deep fail the call or close the connection', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.get",${'['.repeat(400_000)}${']'.repeat(400_000)}]`)
    expect(await receive()).toMatch(/invalid-request-structure|^[16]|Session ID unknown/)
  })
})

describe('packets', () => {
  it.each([
    ['an unexpected acknowledgement', '43/alice,99[{}]'],
    ['an acknowledgement with an invalid number', '43/alice,1e400["constructor"]'],
    ['a call with a number as its name', '42/alice,8[5,{}]'],
    ['a call without a name', '42/alice,8[]'],
    ['a reserved name', '42/alice,8["disconnect",{}]'],
    ['a binary packet without its parts', '451-/alice,8["events.get",{"_placeholder":true,"num":0}]'],
    ['a binary packet of a million parts', '451000000-/alice,8["events.get",{}]'],
    ['a second connection to the namespace', '40/alice,'],
    ['a connection to an unknown user', '40/nobody,'],
    ['a call in a namespace that is not connected', '42/bobby,8["events.get",{}]'],
    ['an error', '44/alice,{"message":"no"}'],
    ['an empty packet', ''],
    ['an unknown type', '49'],
    ['a ping from the client', '2'],
    ['a close', '1'],
    ['separators', '\u001e\u001e\u001e'],
  ])('such as %s do not affect other clients', async (_, packet) => {
    const { send, receive } = await rawSession()
    expect([200, 400]).toContain(await send(packet))
    const answered = receive().catch(() => '')
    const late = new Promise((resolve) => setTimeout(resolve, 200))
    await Promise.race([answered, late])
  })

  it('over twice the message limit close the connection', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const ended = new Promise((resolve) => socket.io.once('disconnect', resolve))
    socket.io.emit('events.get', { streams: ['x'.repeat(2_200_000)] }, () => {})
    expect(await ended).toMatch(/transport/)
  })

  it('over twice the message limit are refused over long-polling', async () => {
    const { send } = await rawSession()
    expect(await send(`42/alice,7["events.get",{"a":"${'x'.repeat(2_200_000)}"}]`)).toBe(413)
  })

  it('for 2,000 unknown namespaces are accepted in one body', async () => {
    const { send } = await rawSession()
    const names = Array.from({ length: 2000 }, (_, i) => `40/nobody-${i},`)
    expect(await send(names.join('\u001e'))).toBe(200)
  })
})

describe('callbacks', () => {
  it('with the same number are answered each', async () => {
    const { send, receive } = await rawSession()
    await send(['42/alice,7["getAccessInfo",{}]', '42/alice,7["nothing",{}]'].join('\u001e'))
    let answers = ''
    while ((answers.match(/43\/alice,7/g)?.length ?? 0) < 2) answers += await receive()
    expect(answers).toContain('invalid-method')
    expect(answers).toContain('"username":"alice"')
  })
})

describe('a client that stops reading', () => {
  const create = (content: string): Json => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content },
  })
  const change = (count: number, content = 'x'): Promise<unknown> =>
    request(`${node.url}alice`, { token, body: Array.from({ length: count }, () => create(content)) })

  const completed = async (): Promise<number> => {
    const { result } = await witness.call('getAccessInfo', {})
    return (result as { calls: Record<string, number> }).calls['events:get'] ?? 0
  }

  it('delays the processing of its calls, and receives combined notifications', async () => {
    await change(100, 'y'.repeat(5000))
    const socket = await stalledSocket(node.port, 'alice', token)
    const before = await completed()
    const calls = 300
    for (let i = 1; i <= calls; i++) socket.write(frame(`42/alice,${i}["events.get",{"streams":["diary"],"limit":1000}]`))
    // Each answer is over half a megabyte; one is buffered by the node, some by the system.
    let done = 0
    for (let last = -1; done !== last; await new Promise((resolve) => setTimeout(resolve, 1000))) {
      last = done
      done = (await completed()) - before
    }
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(50)
    await change(500)
    await change(500)
    let pending = ''
    let changes = 0
    let answers = 0
    socket.on('data', (chunk: Buffer) => {
      // A message across two chunks is counted with the second.
      const text = pending + chunk.toString('latin1')
      const last = Math.max(text.lastIndexOf('43/alice,'), text.lastIndexOf('["eventsChanged"]')) + 1
      answers += text.slice(0, last + 9).match(/43\/alice,/g)?.length ?? 0
      changes += text.slice(0, last + 17).match(/\["eventsChanged"\]/g)?.length ?? 0
      pending = last === 0 ? text.slice(-20) : text.slice(last + 17).slice(-20)
    })
    socket.resume()
    await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThan(calls * 0.9)
    expect(changes).toBeGreaterThan(0)
    // Fewer than the 1,000 changes: notifications for a slow client are combined.
    expect(changes).toBeLessThan(500)
    socket.destroy()
  }, 90_000)
})

describe('a stopping node', () => {
  it('answers calls in progress and closes connections so that clients reconnect', async () => {
    const own = await startTestNode()
    const given = await registerUser(own, 'alice')
    const sockets = [await connectSocket(own, 'alice', { token: given }), await connectSocket(own, 'alice', { token: given, polling: true })]
    const ends = sockets.map(({ io }) => new Promise((resolve) => io.once('disconnect', resolve)))
    const answered = sockets[0]?.call('streams.create', { name: 'last' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    // Longer than the time limit of the test.
    await own.stop(600_000)
    expect((await answered)?.error).toBeNull()
    for (const end of await Promise.all(ends)) expect(end).toMatch(/^transport/)
  })
})
