import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portHolder } from '../../../src/cli/client/portHolder.js'
import { coffer } from '../support/testTerminal.js'

/** A program that listens on a free port and has a file of a store open. */
const PROGRAM = `
  require('node:fs').openSync(process.argv[1], 'w')
  const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))
`

// Other systems do not show the files of processes.
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip

describeOnLinux('a port in use', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-port-'))
  const home = join(folder, 'home')
  let node: ChildProcess
  let port = 0

  beforeAll(async () => {
    mkdirSync(join(home, 'store', 'db'), { recursive: true })
    node = spawn(process.execPath, ['-e', PROGRAM, join(home, 'store', 'db', '000003.log')], { stdio: ['ignore', 'pipe', 'inherit'] })
    port = await new Promise<number>((resolve) => node.stdout?.once('data', (data) => resolve(Number(data))))
  })
  afterAll(() => {
    node.kill()
    rmSync(folder, { recursive: true })
  })

  it('is held by the node whose store the process has open', () => {
    expect(portHolder(port)).toMatchObject({ pid: node.pid, home })
  })

  it('is held by another program without a home', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const found = portHolder((server.address() as AddressInfo).port)
    server.close()
    expect(found?.pid).toBe(process.pid)
    expect(found).not.toHaveProperty('home')
  })

  it('has no holder when it is free', () => expect(portHolder(1)).toBeUndefined())

  it('is named by coffer start with the home of the other node, and the options for another port', async () => {
    const { code, err } = await coffer(['start', '--port', String(port), '--home', join(folder, 'other')], { env: {} })
    expect(code).toBe(1)
    expect(err).toContain(`127.0.0.1:${port} is in use by the coffer node of ${home} (process ${node.pid ?? 0}).`)
    expect(err).toContain(`Show that node: coffer status --home ${home}`)
    expect(err).toContain(`coffer start --port 0 --home ${join(folder, 'other')}`)
    expect(err).toContain('coffer config set http.port')
  })
})
