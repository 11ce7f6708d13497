/** Checks that mail is configured, and that its server accepts connections. */
import { connect } from 'node:net'
import { fault, fine, off, type Check } from './finding.js'

const TIMEOUT_MS = 5000

export const mail: Check = {
  name: 'mail',
  async run({ config, context: { commandFor } }) {
    if (config === undefined) return [off('the settings cannot be read')]
    const host = config.get('services.email.smtp.host')
    if (config.get('services.email.smtp.sendmail')) return [fine('sent by sendmail')]
    if (host === null) return [off('no mail server is set: password reset mails cannot be sent')]
    const port = config.get('services.email.smtp.port')
    const problem = await connectionProblem(host, port)
    if (problem === undefined) return [fine(`${host}:${port} accepts connections`)]
    return [fault(`${host}:${port} cannot be reached: ${problem}`, commandFor('mail', 'test', 'you@example.org'))]
  },
}

function connectionProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    const end = (problem: string | undefined): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end(`no answer within ${TIMEOUT_MS / 1000} s`))
    socket.once('error', (error) => end(error.message))
  })
}
