/** Prints the steps of a build on stderr, one line each; a terminal also shows the running step with its duration. */

const REFRESH_MS = 100

/** Runs a step. `work` may return a detail for its line. @throws what `work` throws, after printing that the step failed */
export async function step(label, work) {
  const { stderr } = process
  const begun = performance.now()
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`
  const clear = stderr.isTTY ? '\r\u001b[K' : ''
  const show = () => stderr.write(`${clear}… ${label}, ${seconds()}`)
  if (stderr.isTTY) show()
  const timer = stderr.isTTY ? setInterval(show, REFRESH_MS) : undefined
  try {
    const detail = await work()
    stderr.write(`${clear}✔ ${label}${detail === undefined ? '' : `: ${detail}`}, ${seconds()}\n`)
  } catch (error) {
    stderr.write(`${clear}✖ ${label}: failed\n`)
    throw error
  } finally {
    clearInterval(timer)
  }
}
