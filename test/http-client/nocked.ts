import nock from "nock";

// Importing nock intercepts all requests of the process, which must not affect tests with real servers.
release();

/** Uses nock within the surrounding suite. Unexpected requests fail. */
export function useNock(): void {
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    release();
  });
}

/** Uses the real network within the surrounding suite, even if other files use nock. */
export function useRealNetwork(): void {
  before(release);
}

function release(): void {
  if (nock.isActive()) nock.restore();
}
