/** Display of an OAuth client and output of its secret. */
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import type { Output } from '../../terminal/output/out.js'
import { when } from '../../terminal/output/format.js'
import type { Terminal } from '../../terminal/terminal.js'

export const clientArgument = text('Client id', { required: true, names: 'client' })

/** Option `--secret-to` of commands that return a secret. */
export const secretToOption = text('Write the secret to a private file instead of stdout', { placeholder: 'file', completes: 'file' })

export const CLIENT_JSON =
  '{"client":{"client_id","client_name","redirect_uris","grant_types","scope","token_endpoint_auth_method","cmc_offers",…}}'

export const idOf = (client: Record_): string => textOf(client['client_id'])

const wordsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

/** Returns the authentication methods of a client. */
export function kindOf(client: Record_): string {
  const ways = [
    ...(client['has_secret'] === true ? ['secret'] : []),
    ...(listOf(client['keys']).length > 0 ? ['keys'] : []),
  ]
  return ways.length === 0 ? 'public' : ways.join(', ')
}

/** Formats a client, one line per value. */
export function clientLines(client: Record_): string[] {
  const lines: [string, readonly string[]][] = [
    ['Name', [textOf(client['client_name'])]],
    ['Grants', [wordsIn(client['grant_types']).join(', ')]],
    ['Auth method', [kindOf(client)]],
    ['Redirects', wordsIn(client['redirect_uris'])],
    ['Scopes', textOf(client['scope']).split(' ')],
    ['Offers', Object.entries(recordOf(client['cmc_offers'])).map(([name, offer]) => `${name}  ${textOf(recordOf(offer)['capabilityUrl'])}`)],
    ['Keys', listOf(client['keys']).map(({ kid, thumbprint }) => `${textOf(thumbprint)}${textOf(kid) === '' ? '' : `  ${textOf(kid)}`}`)],
    ['Account', [textOf(client['username']) || (client['account_user_id'] === null ? '' : 'deleted')]],
    ['Kind', [textOf(client['application_type'])]],
    ['Home page', [textOf(client['client_uri'])]],
    ['Logo', [textOf(client['logo_uri'])]],
    ['Changed', [when((numberOf(client['updated_at']) ?? 0) / 1000)]],
  ]
  return lines.flatMap(([title, values]) =>
    values.filter((value) => value !== '').map((value, at) => `  ${(at === 0 ? title : '').padEnd(14)}${value}`),
  )
}

interface SecretOutput {
  /** File for the secret, instead of stdout. */
  secretTo: string | undefined
  /** Calls the node; the result contains the secret, if there is one. */
  ask(): Promise<Record<string, unknown>>
  /** Prints the message that precedes the secret. */
  print(client: Record_): void
}

/**
 * Creates or changes a client and prints its secret once: on stdout, or in a file that is opened first. In a
 * pipe, stdout carries only the secret, or the id of a client without a secret.
 */
export async function handOutSecret(out: Output, terminal: Terminal, { secretTo, ask, print }: SecretOutput): Promise<void> {
  const file = secretTo === undefined ? undefined : await wholeFile(secretTo)
  try {
    const { client_secret: secret, ...answer } = await ask()
    const client = recordOf(answer['client'])
    if (file !== undefined && secret !== undefined) {
      await file.write(`${textOf(secret)}\n`)
      await file.done()
    }
    const secretField = secret === undefined ? {} : file === undefined ? { client_secret: secret } : { secretTo }
    await out.result({ ...answer, ...secretField }, {
      id: idOf(client),
      print: async () => {
        print(client)
        if (secret !== undefined && file !== undefined) out.note(`  The secret is in ${String(secretTo)}; the node stores only a hash.`)
        const printedSecret = file === undefined ? textOf(secret) : ''
        if (!terminal.outIsTerminal) return out.line(printedSecret === '' ? idOf(client) : printedSecret)
        await out.line(`client_id=${idOf(client)}`)
        if (printedSecret !== '') await out.line(`client_secret=${printedSecret}`)
      },
    })
  } finally {
    await file?.drop()
  }
}
