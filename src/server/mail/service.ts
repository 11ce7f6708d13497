/** Delivery through an HTTP mail service that has its own templates (docs/interface/system.md#mail). */
import type { Config } from '../config/config.js'
import type { Deliver, Letter } from './letter.js'

/** The mail service rejected the mail. */
export class ServiceRefused extends Error {
  constructor(readonly status: number) {
    super(`the mail service answered ${status}`)
  }
}

/** Returns a delivery to the service at `services.email.url`, in the format of the method. */
export function serviceDelivery(config: Config, method: 'microservice' | 'mandrill'): Deliver {
  const base = config.get('services.email.url') ?? ''
  const key = config.get('services.email.key') ?? ''
  return async (letter, { signal }) => {
    const { url, body } = method === 'mandrill' ? toMandrill(base, key, letter) : toMicroservice(base, key, letter)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
      // Never follows redirects: the key goes to the configured URL only.
      redirect: 'manual',
    })
    await response.body?.cancel()
    if (!response.ok) throw new ServiceRefused(response.status)
  }
}

interface Post {
  url: string
  body: object
}

const recipientOf = ({ to }: Letter): object => ({ email: to.address, name: to.name ?? to.address, type: 'to' })

function toMicroservice(base: string, key: string, letter: Letter): Post {
  const { template, language, substitutions } = letter
  const url = `${base.replace(/\/*$/, '/')}${encodeURIComponent(template)}/${encodeURIComponent(language)}`
  return { url, body: { key, to: recipientOf(letter), substitutions } }
}

function toMandrill(url: string, key: string, letter: Letter): Post {
  const { template, substitutions } = letter
  const variables = Object.entries(substitutions).map(([name, content]) => ({ name, content }))
  const message = { to: [recipientOf(letter)], global_merge_vars: variables, tags: [template] }
  return { url, body: { key, template_name: template, template_content: [], message } }
}
