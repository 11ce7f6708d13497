/** Browser without scripts: stores cookies, follows redirects, and submits the form of its page. */
import type { TestNode } from '../nodes/node.js'

export interface Page {
  status: number
  headers: Headers
  /** Path and query of the page, after redirects. */
  path: string
  html: string
  /** Text without markup, blanks normalised. */
  text: string
}

export interface Visitor {
  /** Current page. */
  page: Page
  cookies: Map<string, string>
  /** Opens a path of the node, or a URL. */
  open(path: string): Promise<Page>
  /** Submits the page's form at `at` with these fields instead of its own; `null` omits one. */
  submit(fields?: Readonly<Record<string, string | readonly string[] | null>>, at?: number): Promise<Page>
}

const MAX_REDIRECTS = 10

/** Creates a browser; `from` is the address of its client, as forwarded by a local proxy. */
export function visitor(node: Pick<TestNode, 'url'>, language = 'en', from?: string): Visitor {
  const cookies = new Map<string, string>()
  const self: Visitor = {
    page: { status: 0, headers: new Headers(), path: '', html: '', text: '' },
    cookies,
    open: (path) => go(new URL(path, node.url).href),
    submit(fields = {}, at = 0) {
      const form = formsOf(self.page.html)[at]
      if (form === undefined) throw new Error(`there is no form ${at} in ${self.page.path}: ${self.page.text}`)
      const body = new URLSearchParams(form.fields)
      for (const [name, value] of Object.entries(fields)) {
        body.delete(name)
        for (const one of value === null ? [] : [value].flat()) body.append(name, one)
      }
      return go(new URL(form.action, new URL(self.page.path, node.url)).href, body)
    },
  }

  async function go(url: string, body?: URLSearchParams): Promise<Page> {
    let at = url
    let sent = body
    for (let hops = 0; hops < MAX_REDIRECTS; hops++) {
      const response = await fetch(at, {
        redirect: 'manual',
        method: sent === undefined ? 'GET' : 'POST',
        headers: {
          Accept: 'text/html',
          // Pages then wait for values that take longer, on a busy machine too.
          Prefer: 'wait=10',
          'Accept-Language': language,
          ...(from === undefined ? {} : { 'x-forwarded-for': from }),
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(sent === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }),
        },
        ...(sent === undefined ? {} : { body: sent.toString() }),
      })
      for (const cookie of response.headers.getSetCookie()) keep(cookie)
      const location = response.headers.get('location')
      if (response.status === 303 && location !== null) {
        await response.text()
        at = new URL(location, at).href
        sent = undefined
        continue
      }
      const html = await response.text()
      const { pathname, search } = new URL(at)
      self.page = { status: response.status, headers: response.headers, path: pathname + search, html, text: textOf(html) }
      return self.page
    }
    throw new Error(`too many redirects from ${url}`)
  }

  function keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    if (attributes.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }

  return self
}

const unescaped = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')

const textOf = (html: string): string =>
  unescaped(html.replace(/<(head|script|style)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ').trim()

interface Form {
  action: string
  /** Fields as a browser sends them unchanged: without buttons, checkboxes only when checked. */
  fields: [string, string][]
}

/** Returns the forms of a page that are sent by POST. */
function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, own = '', content = '']) => {
    const fields: [string, string][] = []
    for (const [, text = ''] of content.matchAll(/<input\b([^>]*)>/g)) {
      const { name, value = 'on', type = 'text', checked, disabled } = attributesOf(text)
      const isOff = (type === 'checkbox' || type === 'radio') && checked === undefined
      if (name !== undefined && !isOff && disabled === undefined) fields.push([name, value])
    }
    for (const [, text = '', inner = ''] of content.matchAll(/<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g)) {
      const { name } = attributesOf(text)
      // Browsers leave out a line break at the start.
      if (name !== undefined) fields.push([name, unescaped(inner.replace(/^\n/, ''))])
    }
    for (const [, text = '', inner = ''] of content.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)) {
      const { name } = attributesOf(text)
      const options = [...inner.matchAll(/<option\b([^>]*)>/g)].map(([, own = '']) => attributesOf(own))
      const chosen = options.find((option) => 'selected' in option) ?? options[0]
      if (name !== undefined && chosen !== undefined) fields.push([name, chosen['value'] ?? ''])
    }
    return { action: attributesOf(own)['action'] ?? '', fields }
  })
}

function attributesOf(text: string): Record<string, string | undefined> {
  const found: Record<string, string | undefined> = {}
  for (const [, name = '', value] of text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) found[name] = unescaped(value ?? '')
  return found
}
