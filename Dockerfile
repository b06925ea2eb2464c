# The app with everything that trains, measures and inspects models. What it makes lies in /data.
FROM python:3.11-slim

WORKDIR /build
COPY requirements.txt requirements-core.txt requirements.lock ./
# E.g. TORCH_OPTIONS="--index-url ..." for a build of torch without CUDA.
ARG TORCH_OPTIONS=""
RUN pip install --no-cache-dir --require-hashes -r requirements.lock \
 && pip install --no-cache-dir ${TORCH_OPTIONS} $(grep '^torch==' requirements.txt)
COPY . .
RUN pip install --no-cache-dir --no-deps . && rm -rf /build/* \
 && useradd --system --create-home viz && mkdir /data && chown viz /data

USER viz
WORKDIR /home/viz
ENV ALIBI_VIZ_DATA=/data
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"
CMD ["alibi-viz", "serve", "--host", "0.0.0.0"]
