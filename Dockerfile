# The image of Groundwave: one process with the embedded stores, or an instance of several (docs/operations.md).
# `bun run test:image` runs these steps without a container engine.
# of 3 August 2026
ARG DEBIAN=debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241

FROM ${DEBIAN} AS build
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates nodejs npm libgdal-dev g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /groundwave
# the packages are installed again only when one of these files changes
COPY package.json package-lock.json .npmrc ./
COPY src/setup/image.mjs src/setup/steps.mjs src/setup/
RUN node src/setup/image.mjs install
COPY src src
COPY sql sql
RUN node_modules/.bin/bun src/setup/portal.ts && node src/setup/image.mjs prune

FROM ${DEBIAN}
ENV DEBIAN_FRONTEND=noninteractive
# tini ends processes whose parent was killed; util-linux, for limits of worker processes, is part of Debian's base.
# They are isolated by Landlock, which needs no privilege: WORKER_ISOLATION in docs/operations.md#worker-processes
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libgdal32 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
  && groupadd --gid 10001 groundwave \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin groundwave \
  && install -d -o 10001 -g 10001 -m 0700 /data
WORKDIR /groundwave
COPY --from=build /groundwave/node_modules node_modules
COPY --from=build /groundwave/dist dist
COPY package.json ./
COPY sql sql
COPY src src
# Bun keeps no cache on disk, so that only /data and /tmp are written to. File writes and syncs need more threads than
# there are cores (docs/operations.md#start). Operators and /metrics are not on the port of everybody: publish ADMIN_PORT to
# operators only.
ENV HOST=0.0.0.0 \
  PORT=8080 \
  ADMIN_HOST=0.0.0.0 \
  ADMIN_PORT=8081 \
  DATA_DIR=/data \
  PATH=/groundwave/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
  BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 \
  UV_THREADPOOL_SIZE=16
USER 10001:10001
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bun", "src/cli/health-check.ts"]
ENTRYPOINT ["/usr/bin/tini", "--", "bun"]
CMD ["src/main.ts"]
