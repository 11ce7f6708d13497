/** What no client library would send over a websocket: the node answers, refuses or hangs up, and goes on. */
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
// Whatever was sent, nobody else notices, and nothing was unexpected to the node.
afterEach(async () => {
  expect((await witness.call('getAccessInfo', {})).error).toBeNull()
  expect(node.logged.filter((line) => /unexpected|error/i.test(line))).toEqual([])
})

const idOf = (error: Json | null): unknown => (error?.['error'] as Json | undefined)?.['id']

/** An engine.io session over long-polling by bare requests. */
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
    ['nested too deep', { content: deep(200) }, 'invalid-request-structure'],
    ['with a key of prototypes', JSON.parse('{"__proto__":{"streamIds":["diary"]},"type":"note/txt"}'), 'invalid-parameters-format'],
    ['a list where an object belongs', [1, 2], 'invalid-parameters-format'],
    ['true', true, 'invalid-parameters-format'],
  ])('%s are refused', async (_, params, id) => {
    expect(idOf((await witness.call('events.create', params)).error)).toBe(id)
  })

  it('with a number beyond all are refused', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.create",{"streamIds":["diary"],"type":"mass/kg","content":1e999}]`)
    expect(await receive()).toContain('invalid-request-structure')
  })

  it('that are no JSON end the connection', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.create",{]`)
    expect(await receive()).toMatch(/^[16]|Session ID unknown/)
  })

  it('that nest 400,000 levels end the call or the connection', async () => {
    const { send, receive } = await rawSession()
    await send(`42/alice,7["events.get",${'['.repeat(400_000)}${']'.repeat(400_000)}]`)
    expect(await receive()).toMatch(/invalid-request-structure|^[16]|Session ID unknown/)
  })
})

describe('packets', () => {
  it.each([
    ['an acknowledgement of nothing', '43/alice,99[{}]'],
    ['an acknowledgement of a member of objects', '43/alice,1e400["constructor"]'],
    ['a call with a number as its name', '42/alice,8[5,{}]'],
    ['a call without a name', '42/alice,8[]'],
    ['a reserved name', '42/alice,8["disconnect",{}]'],
    ['a binary packet whose parts never come', '451-/alice,8["events.get",{"_placeholder":true,"num":0}]'],
    ['a binary packet of a million parts', '451000000-/alice,8["events.get",{}]'],
    ['a second connection to the namespace', '40/alice,'],
    ['a connection to nobody', '40/nobody,'],
    ['a call in a namespace that is not connected', '42/bobby,8["events.get",{}]'],
    ['an error', '44/alice,{"message":"no"}'],
    ['nothing', ''],
    ['an unknown type', '49'],
    ['a ping of the other side', '2'],
    ['a close', '1'],
    ['separators', '\u001e\u001e\u001e'],
  ])('%s', async (_, packet) => {
    const { send, receive } = await rawSession()
    expect([200, 400]).toContain(await send(packet))
    const answered = receive().catch(() => '')
    const late = new Promise((resolve) => setTimeout(resolve, 200))
    await Promise.race([answered, late])
  })

  it('that are more than twice as large as a message may be end the connection', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const ended = new Promise((resolve) => socket.io.once('disconnect', resolve))
    socket.io.emit('events.get', { streams: ['x'.repeat(2_200_000)] }, () => {})
    expect(await ended).toMatch(/transport/)
  })

  it('that are larger are refused over long-polling', async () => {
    const { send } = await rawSession()
    expect(await send(`42/alice,7["events.get",{"a":"${'x'.repeat(2_200_000)}"}]`)).toBe(413)
  })

  it('for 2,000 namespaces are refused each', async () => {
    const { send } = await rawSession()
    const names = Array.from({ length: 2000 }, (_, i) => `40/nobody-${i},`)
    expect(await send(names.join('\u001e'))).toBe(200)
  })
})

describe('callbacks', () => {
  it('of the same number are answered each', async () => {
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

  const made = async (): Promise<number> => {
    const { result } = await witness.call('getAccessInfo', {})
    return (result as { calls: Record<string, number> }).calls['events:get'] ?? 0
  }

  it('gets no more answers than it takes, and once it is behind is not told of each change any more', async () => {
    await change(100, 'y'.repeat(5000))
    const socket = await stalledSocket(node.port, 'alice', token)
    const before = await made()
    const calls = 300
    for (let i = 1; i <= calls; i++) socket.write(frame(`42/alice,${i}["events.get",{"streams":["diary"],"limit":1000}]`))
    // Each answer is more than half a megabyte; one of them waits, and as much as the system takes.
    let done = 0
    for (let last = -1; done !== last; await new Promise((resolve) => setTimeout(resolve, 1000))) {
      last = done
      done = (await made()) - before
    }
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(50)
    await change(500)
    await change(500)
    let seen = ''
    let changes = 0
    let answers = 0
    socket.on('data', (chunk: Buffer) => {
      // What spans two chunks is counted with the second.
      const text = seen + chunk.toString('latin1')
      const last = Math.max(text.lastIndexOf('43/alice,'), text.lastIndexOf('["eventsChanged"]')) + 1
      answers += text.slice(0, last + 9).match(/43\/alice,/g)?.length ?? 0
      changes += text.slice(0, last + 17).match(/\["eventsChanged"\]/g)?.length ?? 0
      seen = last === 0 ? text.slice(-20) : text.slice(last + 17).slice(-20)
    })
    socket.resume()
    await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThan(calls * 0.9)
    expect(changes).toBeGreaterThan(0)
    // Of a thousand: those before it was behind, and one for all that came while it was.
    expect(changes).toBeLessThan(500)
    socket.destroy()
  }, 90_000)
})

describe('a node that stops', () => {
  it('waits for no connection, answers what is being done, and lets clients come back', async () => {
    const own = await startTestNode()
    const given = await registerUser(own, 'alice')
    const sockets = [await connectSocket(own, 'alice', { token: given }), await connectSocket(own, 'alice', { token: given, polling: true })]
    const ends = sockets.map(({ io }) => new Promise((resolve) => io.once('disconnect', resolve)))
    const answered = sockets[0]?.call('streams.create', { name: 'last' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    // Longer than the test may take.
    await own.stop(600_000)
    expect((await answered)?.error).toBeNull()
    for (const end of await Promise.all(ends)) expect(end).toMatch(/^transport/)
  })
})
