import nock from "nock";

// Importing nock takes over every request of the process; tests with real servers must not notice.
release();

/** Lets nock answer within the surrounding suite; a request that nobody expects fails there. */
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

/** Real requests for the surrounding suite, whatever other files have loaded. */
export function useRealNetwork(): void {
  before(release);
}

function release(): void {
  if (nock.isActive()) nock.restore();
}
