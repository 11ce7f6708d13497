/**
 * Thousands of websockets of one node: connected in a burst, notified of a change, disconnected within a second after a
 * revocation, without leaks. Part of the long run: LONG=1.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { nodeProcesses } from '../crash/process.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request } from '../support/nodes/node.js'
import { LONG } from './support/needs.js'

/** Limit of descriptors of a process. Each socket requires one in the test and one in the node. */
const DESCRIPTORS = LONG && process.platform === 'linux' ? Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024) : 1024
const SOCKETS = Number(process.env['SOCKETS'] ?? Math.min(10_000, DESCRIPTORS - 500))
/** Number of concurrent connection attempts. */
const STORM = 100
/** Maximum memory of a socket, including memory that the engine has not released yet. */
const KB_EACH = 100
const { home } = homes()
const startProcess = nodeProcesses()

const figure = (pid: number, name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN)

/** Opens a minimal socket without the socket.io client, since the process holds thousands of them. */
function open(url: string, token: string): Promise<{ socket: WebSocket; notified: () => number; isClosed: () => boolean }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}socket.io/?EIO=4&transport=websocket&auth=${token}`)
  let notified = 0
  let isClosed = false
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => (isClosed = true))
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('0')) socket.send('40/alice,')
      else if (text === '2') socket.send('3')
      else if (text.startsWith('40/alice')) resolve({ socket, notified: () => notified, isClosed: () => isClosed })
      else if (text.startsWith('42/alice')) notified += 1
      else if (text.startsWith('41/alice')) isClosed = true
      else if (text.startsWith('44')) reject(new Error(text))
    })
  })
}

it.runIf(LONG && process.platform === 'linux')(`${SOCKETS} websockets are notified, disconnected on revocation, and use bounded memory`, { timeout: 240_000 }, async () => {
  const places = await home()
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const token = String((await request(`${url}users`, { body })).body['token'])
  const call = (path: string, sent?: unknown, method = 'POST'): ReturnType<typeof request> =>
    request(`${url}alice/${path}`, { token, method, ...(sent === undefined ? {} : { body: sent }) })
  await call('streams', { id: 's', name: 's' })
  const access = (await call('accesses', { name: 'app', permissions: [{ streamId: 's', level: 'read' }] })).body['access'] as { id: string; token: string }

  async function all(count: number): Promise<Awaited<ReturnType<typeof open>>[]> {
    const sockets = []
    for (let at = 0; at < count; at += STORM) sockets.push(...(await Promise.all(Array.from({ length: Math.min(STORM, count - at) }, () => open(url, access.token)))))
    return sockets
  }
  // Loads modules before the first measurement.
  for (const { socket } of await all(50)) socket.close()
  await pause(1000)
  const initial = figure(node.pid, 'VmRSS')
  const sockets = await all(SOCKETS)
  const each = (figure(node.pid, 'VmRSS') - initial) / SOCKETS

  await call('events', { streamIds: ['s'], type: 'note/txt', content: 'x' })
  for (let tries = 0; tries < 500 && sockets.some(({ notified }) => notified() === 0); tries++) await pause(20)
  expect(sockets.filter(({ notified }) => notified() === 0)).toHaveLength(0)
  // Terminates a third without a close message.
  for (const { socket } of sockets.slice(0, Math.floor(SOCKETS / 3))) socket.terminate()
  expect((await call(`accesses/${access.id}`, undefined, 'DELETE')).status).toBe(200)
  await pause(1000)
  expect(sockets.filter(({ isClosed }) => !isClosed())).toHaveLength(0)
  const before = sockets.map((one) => one.notified())
  await call('events', { streamIds: ['s'], type: 'note/txt', content: 'y' })
  await pause(300)
  expect(sockets.map((one) => one.notified())).toEqual(before)
  for (const { socket } of sockets) socket.terminate()

  // A second burst reuses the memory of the first.
  const again = (await call('accesses', { name: 'again', permissions: [{ streamId: 's', level: 'read' }] })).body['access'] as { token: string }
  access.token = again.token
  await pause(1000)
  const second = await all(SOCKETS)
  const grown = (figure(node.pid, 'VmRSS') - initial) / SOCKETS
  for (const { socket } of second) socket.terminate()
  console.log(JSON.stringify({ sockets: SOCKETS, kbEach: Math.round(each), kbEachOfTheSecond: Math.round(grown) }))
  expect(each).toBeLessThan(KB_EACH)
  expect(grown).toBeLessThan(KB_EACH * 1.5)
  await node.close()
  await node.kill()
  await expectSound(places)
})
