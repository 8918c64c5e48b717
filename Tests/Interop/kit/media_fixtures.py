"""Fixtures of what control points find: media servers with a shelf of music, and other renderers."""

import shutil

import pytest

from . import media_libraries, netns, subject as subjects


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    return media_libraries.shelf(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="session")
def libraries(shelf, tmp_path_factory):
    """The media servers by the names of their programs: each is started once, by the first who asks for it."""
    running = {}

    def library(program):
        if media_libraries.driver() is None:
            pytest.fail("MediaDriver isn't built")
        if shutil.which(program) is None:
            pytest.fail(f"{program} isn't installed")
        if program not in running:
            host = netns.Host()
            running[program] = media_libraries.ALL[program](host, host.link(), tmp_path_factory.mktemp(program), shelf)
            running[program].wait_scanned()
        return running[program]

    yield library
    for server in running.values():
        server.close()
        server.host.close()


@pytest.fixture(scope="session", params=sorted(media_libraries.ALL))
def library(request, libraries):
    """Each of the media servers; of a session, so that all tests of one come together, and few workers need it."""
    return libraries(request.param)


@pytest.fixture(scope="session")
def other_renderers(tmp_path_factory):
    """Renderers that aren't ours, by name: each is started once, by the first who asks for it."""
    running = {}

    def renderer(kind):
        if kind.binary() is None:
            pytest.fail(f"{kind.name} isn't installed")
        if kind not in running:
            host = netns.Host()
            link = host.link()
            running[kind] = subject = kind(host, tmp_path_factory.mktemp(kind.name))
            subject.link = link
            subject.shared_location = subject.location(link)
        return running[kind]

    yield renderer
    for subject in running.values():
        subject.kill()
        subject.leave()
        subject.host.close()


@pytest.fixture
def gmediarender(other_renderers):
    return other_renderers(subjects.Gmediarender)


@pytest.fixture
def rygel(other_renderers):
    return other_renderers(subjects.Rygel)
