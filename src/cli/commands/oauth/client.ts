/** Display of an OAuth client and output of its secret. */
import { textsOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import type { Output } from '../../terminal/output/out.js'
import type { Terminal } from '../../terminal/terminal.js'

/** An OAuth client, without secrets. */
export type Client = ResultOf<'oauth.clients.show'>['client']

export const clientArgument = text('Client id', { required: true, names: 'client' })

/** Option `--secret-to` of commands that return a secret. */
export const secretToOption = text('Write the secret to a private file instead of stdout', { placeholder: 'file', completes: 'file' })

export const CLIENT_JSON =
  '{"client":{"client_id","client_name","redirect_uris","grant_types","scope","token_endpoint_auth_method","cmc_offers",…}}'

export const idOf = (client: Client): string => client.client_id

/** Returns the authentication methods of a client. */
export function kindOf(client: Client): string {
  const ways = [
    ...(client.has_secret ? ['secret'] : []),
    ...((client.keys ?? []).length > 0 ? ['keys'] : []),
  ]
  return ways.length === 0 ? 'public' : ways.join(', ')
}

/** Formats a client, one line per value; `time` formats times. */
export function clientLines(client: Client, time: Output['time']): string[] {
  const lines: [string, readonly string[]][] = [
    ['Name', [client.client_name]],
    ['Grants', [textsOf(client.grant_types).join(', ')]],
    ['Auth method', [kindOf(client)]],
    ['Redirects', textsOf(client.redirect_uris)],
    ['Scopes', client.scope.split(' ')],
    ['Offers', Object.entries(client.cmc_offers).map(([name, offer]) => `${name}  ${offer.capabilityUrl}`)],
    ['Keys', (client.keys ?? []).map(({ kid, thumbprint }) => `${thumbprint}${(kid ?? '') === '' ? '' : `  ${kid ?? ''}`}`)],
    ['Account', [(client.username ?? '') || (client.account_user_id === null ? '' : 'deleted')]],
    ['Kind', [client.application_type ?? '']],
    ['Home page', [client.client_uri ?? '']],
    ['Logo', [client.logo_uri ?? '']],
    ['Changed', [time(client.updated_at / 1000)]],
  ]
  return lines.flatMap(([title, values]) =>
    values.filter((value) => value !== '').map((value, at) => `  ${(at === 0 ? title : '').padEnd(14)}${value}`),
  )
}

interface SecretOutput {
  /** File for the secret, instead of stdout. */
  secretTo: string | undefined
  /** Calls the node; the result contains the secret, if there is one. */
  ask(): Promise<{ client: Client; client_secret?: string | undefined }>
  /** Prints the message that precedes the secret. */
  print(client: Client): void
}

/**
 * Creates or changes a client and prints its secret once: on stdout, or in a file that is opened first. In a
 * pipe, stdout carries only the secret, or the id of a client without a secret.
 */
export async function printSecretOnce(out: Output, terminal: Terminal, { secretTo, ask, print }: SecretOutput): Promise<void> {
  const file = secretTo === undefined ? undefined : await wholeFile(secretTo)
  try {
    const { client_secret: secret, ...answer } = await ask()
    const { client } = answer
    if (file !== undefined && secret !== undefined) {
      await file.write(`${secret}\n`)
      await file.done()
    }
    const secretField = secret === undefined ? {} : file === undefined ? { client_secret: secret } : { secretTo }
    await out.result({ ...answer, ...secretField }, {
      id: idOf(client),
      print: async () => {
        print(client)
        if (secret !== undefined && file !== undefined) out.note(`  The secret is in ${String(secretTo)}; the node stores only a hash.`)
        const printedSecret = file === undefined ? (secret ?? '') : ''
        if (!terminal.outIsTerminal) return out.line(printedSecret === '' ? idOf(client) : printedSecret)
        await out.line(`client_id=${idOf(client)}`)
        if (printedSecret !== '') await out.line(`client_secret=${printedSecret}`)
      },
    })
  } finally {
    await file?.drop()
  }
}
