/** @jsxImportSource hono/jsx */
/** Router of the web pages under `/web/`: renders HTML and sets the security headers. */
import { gzipSync } from 'node:zlib'
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context as HonoContext } from 'hono'
import { Failure } from '../../store/model/failure.js'
import { asFailure } from '../dispatch/call.js'
import { readBody } from '../http/body.js'
import { isMultipart } from '../http/multipart.js'
import { readMultipartForm } from '../http/multipartForm.js'
import type { WebPages } from '../http/root.js'
import { assetAt } from './assets.js'
import { iconAnswer } from './icons/answer.js'
import { documentOf, ProblemBox } from './layout.js'
import { linkTo, pathOfTarget } from './links.js'
import { pages } from './list.js'
import type { Answer, Page, PageContent, Visit, PagesContext } from './page.js'
import { headersOfProblem, problemOf, problemWith, type Problem } from './problem.js'
import { isOurForm, visitOf } from './visit.js'
import { commonWords } from './words.js'

const MAX_FORM_MB = 0.0625
/** Minimum size of a document that is compressed, in bytes. */
const MIN_COMPRESSED = 1024

const safety = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

type Env = { Bindings: HttpBindings }

/** Creates the handler of requests for pages below a path of the node. */
export function createPages(node: PagesContext, root: string): Pick<WebPages, 'fetch'> {
  const app = new Hono<Env>({ strict: false }).basePath(root)
  app.get('/assets/:name', (c) => assetAnswer(c))
  app.get('/icons/:app', (c) => iconAnswer(node, c.req.param('app')))
  app.get('/', (c) => runPage(c, { path: '/' }, (visit) => ({ redirect: linkTo(visit, pathOfTarget('overview')) })))
  for (const page of pages) {
    app.get(page.path, (c) => runPage(c, page, (visit) => showPage(page, visit)))
    app.post(page.path, (c) => runPage(c, page, (visit) => handleForm(c, page, visit)))
  }
  const missing = (c: HonoContext<Env>): Promise<Response> =>
    runPage(c, { path: '/access' }, ({ language }) => {
      const { notFoundTitle, notFound } = commonWords[language]
      return { title: notFoundTitle, body: <p>{notFound}</p>, status: 404 }
    })
  app.all('*', missing)
  app.onError((error) => {
    const { message } = asFailure(node, 'web page', error)
    return new Response(message, { status: 500, headers: safety })
  })

  /** Runs a page and converts its answer, or its error, to a response. */
  async function runPage(
    c: HonoContext<Env>,
    page: Pick<Page, 'path' | 'isBeforeSignIn'>,
    act: (visit: Visit) => Answer | Promise<Answer>,
  ): Promise<Response> {
    const visit = await visitOf(node, page, c.env.incoming, new URL(c.req.url).search.slice(1))
    let answer: Answer
    try {
      answer = await act(visit)
    } catch (error) {
      answer = problemPage(visit, problemOf(visit, error))
    }
    return responseOf(c, visit, page.path, answer)
  }

  return { fetch: (request, bindings) => app.fetch(request, bindings) }
}

function showPage(page: Page, visit: Visit): Answer | Promise<Answer> {
  if (page.isOwned === true && visit.session === undefined) return toSignIn(visit, page)
  return page.show(visit)
}

async function handleForm(c: HonoContext<Env>, page: Page, visit: Visit): Promise<Answer> {
  if (page.submit === undefined) return { ...problemPage(visit, problemWith(commonWords[visit.language].notFound)), status: 405 }
  const { incoming } = c.env
  if (page.beforeUpload !== undefined && isMultipart(incoming)) return handleUpload(incoming, page, visit)
  const type = incoming.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new Failure('unsupported-content-type', 'Send forms as application/x-www-form-urlencoded.')
  }
  const form = new URLSearchParams(await readBody(incoming, page.maxFormMb ?? MAX_FORM_MB))
  if (!isOurForm(visit, incoming, form)) {
    return rejectedForm(visit, page)
  }
  if (page.isOwned === true && visit.session === undefined) return toSignIn(visit, page)
  return page.submit({ ...visit, form, files: [] })
}

/** A form that was not sent from a page of this node. */
class ForeignForm extends Error {}

/** Handles a form with files. Nothing is stored before its token is checked. */
async function handleUpload(incoming: IncomingMessage, page: Page, visit: Visit): Promise<Answer> {
  if (page.isOwned === true && visit.session === undefined) return toSignIn(visit, page)
  const refusal = await page.beforeUpload?.(visit)
  if (refusal !== undefined) return refusal
  const { node } = visit
  try {
    const { form, files } = await readMultipartForm(node, incoming, (known) => {
      if (!isOurForm(visit, incoming, known)) throw new ForeignForm()
    })
    try {
      return (await page.submit?.({ ...visit, form, files })) ?? rejectedForm(visit, page)
    } finally {
      for (const { blob } of files) await node.store.blobs.drop(blob)
    }
  } catch (error) {
    if (error instanceof ForeignForm) return rejectedForm(visit, page)
    throw error
  }
}

/** Shows the page again without executing its form, which is forged or whose session has ended. */
async function rejectedForm(visit: Visit, page: Page): Promise<Answer> {
  const answer = await showPage(page, visit)
  if (!('body' in answer)) return answer
  const problem = problemWith(commonWords[visit.language].wrongForm)
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      {answer.body}
    </>
  )
  return { ...answer, body, status: 403 }
}

function toSignIn({ node, flow, query }: Visit, { path }: Page): Answer {
  const more = new URLSearchParams(query)
  for (const name of ['key', 'oauth', 'to', 'as', 'lang']) more.delete(name)
  const to = more.size === 0 ? path : `${path}?${more.toString()}`
  return { redirect: linkTo({ node, flow: { ...flow, to } }, '/sign-in') }
}

/** Returns a page that shows only a problem. */
function problemPage({ language }: Visit, problem: Problem): PageContent {
  return {
    title: commonWords[language].problem,
    body: <p role="alert">{problem.text}</p>,
    status: problem.status,
    headers: headersOfProblem(problem),
  }
}

async function responseOf(c: HonoContext<Env>, visit: Visit, path: string, answer: Answer): Promise<Response> {
  // A client that ended its body early was answered by the server.
  if (c.env.outgoing.headersSent) return RESPONSE_ALREADY_SENT
  const headers = new Headers({ ...safety, 'API-Version': visit.node.apiVersion, 'Cache-Control': 'no-store', Vary: 'Cookie, Accept-Language' })
  for (const cookie of visit.cookies.headers()) headers.append('Set-Cookie', cookie)
  // The rest of an unread body would be parsed as the next request.
  if (!c.env.incoming.complete) headers.set('Connection', 'close')
  if ('redirect' in answer) {
    headers.set('Location', answer.redirect)
    return new Response(null, { status: 303, headers })
  }
  if ('response' in answer) {
    answer.response.headers.forEach((value, name) => headers.set(name, value))
    return new Response(answer.response.body, { status: answer.response.status, headers })
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers.set(name, value)
  headers.set('Content-Type', 'text/html; charset=utf-8')
  const text = await documentOf(visit, path, answer)
  const { status = 200 } = answer
  if (text.length < MIN_COMPRESSED || !acceptsGzip(c)) return new Response(text, { status, headers })
  headers.set('Content-Encoding', 'gzip')
  return new Response(gzipSync(text), { status, headers })
}

const acceptsGzip = (c: HonoContext<Env>): boolean => /\bgzip\b/.test(c.env.incoming.headers['accept-encoding'] ?? '')

function assetAnswer(c: HonoContext<Env>): Response | Promise<Response> {
  const asset = assetAt(`/assets/${c.req.param('name') ?? ''}`)
  const headers = new Headers(safety)
  if (asset === undefined) return new Response('Not found', { status: 404, headers })
  headers.set('Content-Type', asset.type)
  headers.set('Cache-Control', 'public, max-age=31536000, immutable')
  headers.set('Vary', 'Accept-Encoding')
  if (!acceptsGzip(c)) return new Response(asset.text, { headers })
  headers.set('Content-Encoding', 'gzip')
  return new Response(new Uint8Array(asset.gzipped), { headers })
}
